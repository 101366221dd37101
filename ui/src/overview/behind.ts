import type { Search } from "../url/search";
import type { Fault } from "./faults";

/** From `since` on, before `until`. */
export interface Window {
  readonly since: string;
  readonly until: string;
}

/** The address of the jobs behind a figure: those of which a run failed in its window, where its filters hold. */
export function jobsBehind({ since, until }: Window, ...filters: readonly Search[]): Search {
  return Object.assign({ "failedAt.gte": [since], "failedAt.lt": [until] }, ...filters);
}

/** Failures of these faults. */
export function ofFault(...faults: readonly Fault[]): Search {
  return { origin: faults };
}

/** Failures with a value of a column; those that have none are asked for by that. */
export function withValue(column: string, value: string): Search {
  return value === "" ? { [`${column}.exists`]: ["false"] } : { [column]: [value] };
}
