import { describe, expect, it } from "vitest";

import { neighboursOf } from "./neighbours";

describe("a job that is open", () => {
  it.each([
    ["a", { at: 0, before: undefined, after: "b" }],
    ["b", { at: 1, before: "a", after: "c" }],
    ["c", { at: 2, before: "b", after: undefined }],
  ])("%s has the neighbours of its row", (jobId, expected) => {
    expect(neighboursOf(["a", "b", "c"], jobId)).toEqual(expected);
  });

  it("has none if it was never in the list", () => {
    expect(neighboursOf(["a", "b"], "x")).toEqual({ at: -1, before: undefined, after: undefined });
    expect(neighboursOf([], "x")).toEqual({ at: -1, before: undefined, after: undefined });
  });

  it.each([
    [1, "a", "b"],
    [0, undefined, "a"],
    [2, "b", undefined],
    [9, "b", undefined],
  ])("that left the list from row %i keeps the neighbours it had", (lastAt, before, after) => {
    expect(neighboursOf(["a", "b"], "x", lastAt)).toEqual({ at: -1, before, after });
  });
});
