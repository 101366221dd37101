import { describe, expect, it } from "vitest";

import { isOf, reportsOf, titleOf } from "./reports";

const restarted = { eventId: "a", amends: null, occurrence: "container-restarted", observedAt: "2026-11-26T14:00:00Z" };
const failed = { eventId: "b", amends: null, occurrence: "pod-failed", observedAt: "2026-11-26T14:01:00Z" };
const added = { eventId: "c", amends: "b", occurrence: "pod-failed", observedAt: "2026-11-26T14:02:00Z" };
const later = { eventId: "d", amends: null, occurrence: "missing", observedAt: "2026-11-26T14:03:00Z" };

describe("the reports of a run", () => {
  it("begin with the evidence on why it failed that came last", () => {
    const ids = reportsOf([restarted, failed, added, later], "b").map((report) => report.eventId);
    expect(ids).toEqual(["c", "b", "d", "a"]);
  });

  it("are the latest first, if it did not fail", () => {
    expect(reportsOf([restarted, later], null)).toEqual([later, restarted]);
  });

  it("are of a failure if they are the first of it, or add evidence to it", () => {
    const ofFailure = [restarted, failed, added, later].filter((report) => isOf(report, "b"));
    expect(ofFailure).toEqual([failed, added]);
    expect(isOf(failed, null)).toBe(false);
  });

  it("say what and when", () => {
    expect(titleOf(failed)).toBe("pod failed, 2026-11-26 14:01:00 UTC");
    expect(titleOf(added)).toBe("pod failed, evidence added 2026-11-26 14:02:00 UTC");
  });
});
