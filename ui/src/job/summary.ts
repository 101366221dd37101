import { faultText } from "../jobs/failure";
import { capital, sentence } from "./words";

interface Answer {
  readonly categoryInWords: string;
  readonly deciding: string;
  readonly fault: string;
  readonly step: string;
}

interface Run {
  readonly jobId: string;
  readonly category: string;
  readonly subcategory: string;
  readonly origin: string;
}

/** What the failure is called; the category in brackets is left out, because it stands beside it. */
export function titleOf(inWords: string, run: Pick<Run, "category" | "subcategory">): string {
  const leaf = run.subcategory === "" ? run.category : `${run.category}/${run.subcategory}`;
  return capital(inWords.endsWith(` (${leaf})`) ? inWords.slice(0, -leaf.length - 3) : inWords);
}

/** Why it failed and whose fault that is, in a sentence. */
export function sentenceOf(answer: Answer, run: Run): string {
  return `${sentence(answer.deciding)} Whose fault: ${faultOf(answer, run)}.`;
}

/** By the word that rules, filters and `failctl` have. The API's own words say too whether nothing confirms it. */
function faultOf({ fault }: Answer, { origin }: Run): string {
  return fault.startsWith("likely ") ? `likely ${faultText(origin)}` : faultText(origin);
}

/** What one person writes to another about a failure: what it is, why, what to do, and where that stands. */
export function summaryOf(answer: Answer, run: Run, origin: string): string {
  const lines = [
    `Job ${run.jobId}: ${answer.categoryInWords}`,
    sentenceOf(answer, run),
    answer.step === "" ? "" : `What can be done: ${sentence(answer.step)}`,
    `${origin}/jobs/${encodeURIComponent(run.jobId)}`,
  ];
  return lines.filter((line) => line !== "").join("\n");
}
