import { describe, expect, it } from "vitest";

import { sentenceOf, summaryOf, titleOf } from "./summary";

const RUN = { jobId: "a/b", category: "memory", subcategory: "limit", origin: "user" };
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

  it.each([
    ["the job", "user", "user"],
    ["likely the node", "infra", "likely infra"],
    ["the platform", "platform", "platform"],
    ["not known", "unknown", "unknown"],
    ["not known", "", "unknown"],
  ])("with the fault %s of the API, which is %s, says %s", (fault, origin, said) => {
    expect(sentenceOf({ ...ANSWER, fault }, { ...RUN, origin })).toBe(
      `Container main passed its memory limit (exit 137, OOMKilled). Whose fault: ${said}.`,
    );
  });

  it("is copied with what to do and a link", () => {
    expect(summaryOf(ANSWER, RUN, "http://host").split("\n")).toEqual([
      "Job a/b: out of memory (memory/limit)",
      "Container main passed its memory limit (exit 137, OOMKilled). Whose fault: user.",
      "What can be done: Double it.",
      "http://host/jobs/a%2Fb",
    ]);
  });
});
