import { expect, test } from "vitest";

import type { Job, Run } from "../jobs/failure";
import { courseOf } from "./course";

const NOW = Date.parse("2026-11-26T12:00:00Z");
const SOON = "2026-11-26T12:05:00Z";
const PAST = "2026-11-26T11:00:00Z";
const RUN = { state: "failed", failedAt: PAST, succeededAt: null, runningAt: null, notBefore: null } as Run;

function course(goesOn: boolean, observed: string, run: Partial<Run> = {}, endedAt: string | null = null) {
  return courseOf({ goesOn, job: { observed, endedAt, runs: [{ ...RUN, ...run }] } as unknown as Job }, NOW);
}

test("a job that waits says when it will run again", () => {
  expect(course(true, "waiting", { notBefore: SOON })).toEqual({ words: "will run again", at: SOON });
  const { words } = course(true, "waiting", { notBefore: PAST });
  expect(words).toBe("will run again as soon as there is room");
  expect(course(true, "waiting").words).toBe(words);
});

test("a job that runs says when that began", () => {
  const running = { state: "running", failedAt: null, runningAt: PAST };
  expect(course(true, "running", running)).toEqual({ words: "runs again, started", at: PAST });
  expect(course(true, "running", { ...running, runningAt: null })).toEqual({ words: "runs now" });
  expect(course(true, "running", { state: "leased", failedAt: null }).words).toBe("its next run is about to start");
});

test("until there is a verdict nothing is said of what follows", () => {
  expect(course(true, "still-failed").words).toBe("what follows is not decided yet");
});

test("a job that has ended says when", () => {
  expect(course(false, "still-failed", {}, SOON)).toEqual({ words: "ended", at: SOON });
  expect(course(false, "still-failed")).toEqual({ words: "ended", at: PAST });
  expect(course(false, "recovered", { state: "succeeded", failedAt: null, succeededAt: SOON }).at).toBe(SOON);
  expect(course(false, "running", { state: "leased", failedAt: null })).toEqual({ words: "has ended" });
  expect(courseOf({ goesOn: false, job: { endedAt: null, runs: [] as Run[] } as Job }, NOW).words).toBe("has ended");
});
