import { expect, test } from "vitest";

import type { Problem } from "../api/client";
import { Refused } from "../api/refused";
import { leftOut, type Meant, MOST, meantIn, onlyJob, onlyPlace } from "./meant";

const at = { queue: "ml", firstAt: "2026-11-26T12:00:00Z" };
const job: Meant = { ...at, knownAs: "client id", jobId: "j1", runId: null };
const run: Meant = { ...at, knownAs: "pod name", jobId: "j1", runId: "r1" };

test("what the API names is in its refusal, and in no other error", () => {
  const problem: Problem = { type: "", title: "", status: 404, detail: "", code: "no-such-job", errors: [] };
  expect(meantIn(new Refused({ ...problem, meant: [job] }))).toEqual([job]);
  expect(meantIn(new Refused(problem))).toEqual([]);
  expect(meantIn(new Error("offline"))).toEqual([]);
  expect(meantIn(null)).toEqual([]);
});

test("one job is gone to, with the run opened if that is what was meant", () => {
  expect(onlyJob([job])).toEqual({ to: "/jobs/$id", id: "j1", search: {} });
  expect(onlyJob([run])).toEqual({ to: "/jobs/$id", id: "j1", search: { run: ["r1"] } });
  expect(onlyJob([run, { ...run, runId: "r2" }])).toEqual({ to: "/jobs/$id", id: "j1", search: {} });
});

test("of several jobs people choose", () => {
  expect(onlyJob([job, { ...job, jobId: "j2" }])).toBeUndefined();
  expect(onlyPlace([job, { ...job, jobId: "j2" }])).toBeUndefined();
  expect(onlyJob([])).toBeUndefined();
  expect(onlyPlace([])).toBeUndefined();
});

test("who asked for a run gets it, or the job", () => {
  expect(onlyPlace([run])).toEqual({ to: "/runs/$id", id: "r1", search: {} });
  expect(onlyPlace([job])).toEqual({ to: "/jobs/$id", id: "j1", search: {} });
});

test("where more have an id than the API names, the list has all", () => {
  const many = Array.from({ length: MOST + 1 }, () => run);
  expect(leftOut(many, "main-0")).toEqual([{ podName: ["main-0"] }]);
  expect(leftOut(many.slice(1), "main-0")).toEqual([]);
});
