import { describe, expect, it } from "vitest";

import { openRuns, toggledRun } from "./opened";

const RUNS = [
  { runId: "c", failedAt: null },
  { runId: "b", failedAt: "2026-11-26T14:00:00Z" },
  { runId: "a", failedAt: "2026-11-26T13:00:00Z" },
];

describe("the evidence that is shown", () => {
  it("is that of the latest run that failed, if the address says nothing", () => {
    expect(openRuns({}, RUNS)).toEqual(["b"]);
    expect(openRuns({}, [])).toEqual([]);
  });

  it("follows the address", () => {
    const both = toggledRun({ queue: ["ml"] }, RUNS, "a");
    expect(both).toEqual({ queue: ["ml"], run: ["b", "a"] });
    expect(toggledRun(both, RUNS, "b")).toEqual({ queue: ["ml"], run: ["a"] });
  });

  it("can all be hidden, and be shown again", () => {
    const none = toggledRun({}, RUNS, "b");
    expect(openRuns(none, RUNS)).toEqual([""]);
    expect(toggledRun(none, RUNS, "c")).toEqual({ run: ["c"] });
  });
});
