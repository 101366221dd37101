import { describe, expect, it } from "vitest";

import type { Asked } from "./ask";
import { wouldOf } from "./outcome";

describe("what the scheduler says", () => {
  it.each<[Asked, "did" | "would", string]>([
    [
      { outcome: "REQUEST_OUTCOME_DONE", state: "JOB_STATE_RETRY_WAITING", wait: "it waits for its turn" },
      "would",
      "The job would be waiting for its next run. It waits for its turn.",
    ],
    [{ outcome: "REQUEST_OUTCOME_DONE", state: "JOB_STATE_CANCELLED" }, "did", "Done: the job is cancelled."],
    [
      { outcome: "REQUEST_OUTCOME_REFUSED", state: "JOB_STATE_FAILED", message: "it has ended: failed, by verdict" },
      "would",
      "The scheduler would refuse this. It has ended: failed, by verdict.",
    ],
    [
      { outcome: "REQUEST_OUTCOME_UNCHANGED", state: "JOB_STATE_FAILED" },
      "did",
      "Nothing changed: the job has failed.",
    ],
    [{ outcome: "REQUEST_OUTCOME_NOT_FOUND" }, "would", "The scheduler does not know this job."],
  ])("%j, as it %s", (asked, tense, text) => {
    expect(wouldOf(asked, tense)).toBe(text);
  });
});
