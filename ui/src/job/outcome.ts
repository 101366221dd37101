import type { Asked, Request } from "./ask";
import { sentence, stateWord } from "./words";

/** What the scheduler did when it was asked for something, or would do, in words. */
export function wouldOf(request: Request["name"], asked: Asked, tense: "did" | "would"): string {
  const state = stateWord(asked.state);
  const more = [asked.message, asked.wait].filter((text) => text).map((text) => sentence(text ?? ""));
  return [said(request, asked, state, tense), ...more].join(" ");
}

function said(request: Request["name"], asked: Asked, state: string, tense: "did" | "would"): string {
  const would = tense === "would";
  switch (asked.outcome) {
    case "REQUEST_OUTCOME_DONE":
      if (request === "never-retry" && !ENDED.has(state)) {
        // The job goes on as it is: its state does not say what has changed.
        return would ? "The job would not be retried any more." : "Done: the job is not retried any more.";
      }
      return would ? `The job ${wouldStand(state)}.` : `Done: the job ${stands(state)}.`;
    case "REQUEST_OUTCOME_UNCHANGED":
      return would ? `Nothing would change: the job ${stands(state)}.` : `Nothing changed: the job ${stands(state)}.`;
    case "REQUEST_OUTCOME_REFUSED":
      return would ? "The scheduler would refuse this." : "The scheduler refused this.";
    case "REQUEST_OUTCOME_NOT_FOUND":
      return "The scheduler does not know this job.";
    default:
      return "The scheduler said nothing that this page knows; reload it.";
  }
}

const ENDED: ReadonlySet<string> = new Set(["failed", "succeeded", "cancelled"]);

/** `would be queued`, `would end as failed`. */
function wouldStand(state: string): string {
  return ENDED.has(state) ? `would end as ${state}` : `would be ${state}`;
}

/** `is queued`, `has failed`. */
function stands(state: string): string {
  return state === "failed" || state === "succeeded" ? `has ${state}` : `is ${state}`;
}
