import { describe, expect, it } from "vitest";

import { sentenceOf, summaryOf, titleOf } from "./summary";

const RUN = { jobId: "a/b", category: "memory", subcategory: "limit" };
const ANSWER = {
  categoryInWords: "out of memory (memory/limit)",
  deciding: "container main passed its memory limit (exit 137, OOMKilled)",
  fault: "the job",
  step: "double it",
};

describe("an answer", () => {
  it.each([
    ["out of memory (memory/limit)", "Out of memory"],
    ["memory/limit", "Memory/limit"],
    ["exit code 3 (no rule matched)", "Exit code 3 (no rule matched)"],
  ])("called %s has the title %s", (inWords, title) => {
    expect(titleOf(inWords, RUN)).toBe(title);
  });

  it("is a sentence with whose fault it was", () => {
    expect(sentenceOf(ANSWER)).toBe(
      "Container main passed its memory limit (exit 137, OOMKilled). Whose fault: the job.",
    );
  });

  it("is copied with what to do and a link", () => {
    expect(summaryOf(ANSWER, RUN, "http://host").split("\n")).toEqual([
      "Job a/b: out of memory (memory/limit)",
      "Container main passed its memory limit (exit 137, OOMKilled). Whose fault: the job.",
      "What can be done: Double it.",
      "http://host/jobs/a%2Fb",
    ]);
  });
});
