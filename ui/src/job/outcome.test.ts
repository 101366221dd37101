import { describe, expect, it } from "vitest";

import type { Asked, Request } from "./ask";
import { wouldOf } from "./outcome";

describe("what the scheduler says", () => {
  it.each<[Request["name"], Asked, "did" | "would", string]>([
    [
      "retry",
      { outcome: "REQUEST_OUTCOME_DONE", state: "JOB_STATE_RETRY_WAITING", wait: "it waits for its turn" },
      "would",
      "The job would be waiting for its next run. It waits for its turn.",
    ],
    ["cancel", { outcome: "REQUEST_OUTCOME_DONE", state: "JOB_STATE_CANCELLED" }, "did", "Done: the job is cancelled."],
    [
      "cancel",
      { outcome: "REQUEST_OUTCOME_DONE", state: "JOB_STATE_CANCELLED" },
      "would",
      "The job would end as cancelled.",
    ],
    [
      "never-retry",
      { outcome: "REQUEST_OUTCOME_DONE", state: "JOB_STATE_QUEUED" },
      "would",
      "The job would not be retried any more.",
    ],
    [
      "never-retry",
      { outcome: "REQUEST_OUTCOME_DONE", state: "JOB_STATE_RUNNING" },
      "did",
      "Done: the job is not retried any more.",
    ],
    [
      "never-retry",
      { outcome: "REQUEST_OUTCOME_DONE", state: "JOB_STATE_FAILED" },
      "would",
      "The job would end as failed.",
    ],
    [
      "retry",
      { outcome: "REQUEST_OUTCOME_REFUSED", state: "JOB_STATE_FAILED", message: "it has ended: failed, by verdict" },
      "would",
      "The scheduler would refuse this. It has ended: failed, by verdict.",
    ],
    [
      "never-retry",
      { outcome: "REQUEST_OUTCOME_UNCHANGED", state: "JOB_STATE_FAILED" },
      "did",
      "Nothing changed: the job has failed.",
    ],
    ["retry", { outcome: "REQUEST_OUTCOME_NOT_FOUND" }, "would", "The scheduler does not know this job."],
  ])("of %s: %j, as it %s", (request, asked, tense, text) => {
    expect(wouldOf(request, asked, tense)).toBe(text);
  });
});
