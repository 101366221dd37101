import type { components } from "../api/schema";
import { stateWord } from "../job/words";

export type Job = components["schemas"]["Job"];
export type Run = components["schemas"]["RunOfJob"];

/** The latest run that failed, of the ten that a row has; a job that recovered shows why it had failed. */
export function latestFailure(job: Job): Run | undefined {
  return job.runs.find((run) => run.failedAt !== null);
}

/** `gpu/xid`, or only `gpu`. */
export function categoryOf(run: Run): string {
  if (run.category === "") return "not classified";
  return run.subcategory === "" ? run.category : `${run.category}/${run.subcategory}`;
}

/** Which container ended how: `main: exit 137, OOMKilled`. */
export function endingOf(run: Run): string {
  const how = [run.exitCode === null ? "" : `exit ${run.exitCode}`, run.reason].filter((part) => part !== "");
  const ending = how.length > 0 ? how.join(", ") : (run.mechanism || run.occurrence).replaceAll("-", " ");
  return [run.container, ending].filter((part) => part !== "").join(": ");
}

/** Why it failed, on one line: `main: exit 1: CUDA error: out of memory`. */
export function reasonOf(run: Run): string {
  return [endingOf(run), run.keyLine].filter((part) => part !== "").join(": ") || categoryOf(run);
}

/** `3, 2 failed`: how many attempts there were. */
export function attemptsOf(job: Job): string {
  return job.failedRunCount === 0 ? `${job.runCount}` : `${job.runCount}, ${job.failedRunCount} failed`;
}

const OBSERVED: Readonly<Record<string, string>> = {
  "still-failed": "still failed",
  recovered: "recovered",
  waiting: "waiting",
  running: "running",
  succeeded: "succeeded",
};

/** What was observed of a job, in words. */
export function observedText(observed: string): string {
  return OBSERVED[observed] ?? observed;
}

/** What was observed of a job; before its first run that is nothing, and its record says how it stands. */
export function standingOf(job: Job): string {
  return job.observed || stateWord(job.state ?? "");
}

const FAULTS = new Set(["infra", "platform", "user"]);

/** Whose fault a failure is, in a word. */
export function faultText(origin: string): string {
  return FAULTS.has(origin) ? origin : "unknown";
}

/** Whose fault the failure of a run is; `infra?` where only the program's own words say so. */
export function markedFault(run: Pick<Run, "origin" | "corroborated">): string {
  return run.corroborated === false ? `${faultText(run.origin)}?` : faultText(run.origin);
}
