import { type Search, withValues } from "../url/search";

interface Run {
  readonly runId: string;
  readonly failedAt: string | null;
}

const NAME = "run";

/** Runs whose evidence is shown: those that the address names; if it names none, the latest that failed. */
export function openRuns(search: Search, runs: readonly Run[]): readonly string[] {
  const named = search[NAME];
  if (named !== undefined) return named;
  const failed = runs.find((run) => run.failedAt !== null);
  return failed === undefined ? [] : [failed.runId];
}

/** The address with the evidence of a run shown, or hidden if it was shown. An empty name means that none is. */
export function toggledRun(search: Search, runs: readonly Run[], runId: string): Search {
  const opened = openRuns(search, runs).filter((open) => open !== "");
  const others = opened.filter((open) => open !== runId);
  const next = others.length < opened.length ? others : [...opened, runId];
  return withValues(search, NAME, next.length === 0 ? [""] : next);
}
