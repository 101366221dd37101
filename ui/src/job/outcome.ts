import type { Asked } from "./ask";
import { sentence, stateWord } from "./words";

/** What the scheduler did, or would do, in words. */
export function wouldOf(asked: Asked, tense: "did" | "would"): string {
  const state = stateWord(asked.state);
  const more = [asked.message, asked.wait].filter((text) => text).map((text) => sentence(text ?? ""));
  return [said(asked, state, tense), ...more].join(" ");
}

function said(asked: Asked, state: string, tense: "did" | "would"): string {
  const would = tense === "would";
  switch (asked.outcome) {
    case "REQUEST_OUTCOME_DONE":
      return would ? `The job would be ${state}.` : `Done: the job ${stands(state)}.`;
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

/** `is queued`, `has failed`. */
function stands(state: string): string {
  return state === "failed" || state === "succeeded" ? `has ${state}` : `is ${state}`;
}
