import { describe, expect, it } from "vitest";

import { jobTab, runTab } from "./tab";

const ID = "01jd0000000000000000031998";
const ran = { jobId: ID, category: "memory", subcategory: "limit", answer: null };
const failed = { ...ran, answer: { categoryInWords: "out of memory (memory/limit)" } };

describe("the tab of a job", () => {
  it.each([
    [{ name: "train", clientId: "c-1", attempts: [failed] }, "train · 01jd…00031998"],
    [{ name: "", clientId: "c-1", attempts: [failed] }, "c-1 · 01jd…00031998"],
    [{ name: "", clientId: "", attempts: [ran, failed] }, "Out of memory · 01jd…00031998"],
    [{ name: "", clientId: "", attempts: [ran] }, "Job 01jd…00031998"],
    [undefined, "Job 01jd…00031998"],
  ])("of %j is called %s", (job, text) => {
    expect(jobTab(ID, job)).toBe(text);
  });

  it("has no hidden characters, and not the whole of a name that is very long", () => {
    expect(jobTab("a\u202e", { name: `b\n${"x".repeat(99)}`, clientId: "", attempts: [] })).toBe(
      `b ${"x".repeat(58)}… · a\\u{202e}`,
    );
  });
});

describe("the tab of a run", () => {
  it("is called by what failed", () => {
    expect(runTab("run-1", failed)).toBe("Out of memory · run-1");
    expect(runTab("run-1", ran)).toBe("Run run-1");
    expect(runTab("run-1", undefined)).toBe("Run run-1");
  });
});
