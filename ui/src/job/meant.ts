import { Refused } from "../api/refused";
import type { components } from "../api/schema";
import type { Search } from "../url/search";

export type Meant = components["schemas"]["Meant"];

/** What the API names of each way to write an id; one more says that there are more. */
export const MOST = 20;

/** What may have been meant by an id that is not one of what was asked for. */
export function meantIn(error: Error | null): readonly Meant[] {
  return error instanceof Refused ? (error.problem.meant ?? []) : [];
}

export interface Place {
  readonly to: "/jobs/$id" | "/runs/$id";
  readonly id: string;
  /** The run that is opened there. */
  readonly search: Search;
}

/** The page of a job or, if it is a run that was meant, that of its job with the run opened. */
export function jobOf({ jobId, runId }: Meant): Place {
  return { to: "/jobs/$id", id: jobId, search: runId === null ? {} : { run: [runId] } };
}

/** The page of what was meant itself. */
export function placeOf(meant: Meant): Place {
  return meant.runId === null ? jobOf(meant) : { to: "/runs/$id", id: meant.runId, search: {} };
}

/** The one job that was meant, if it is one; with the run opened, if it is one. */
export function onlyJob(meant: readonly Meant[]): Place | undefined {
  const [first] = meant;
  if (first === undefined || meant.some(({ jobId }) => jobId !== first.jobId)) return undefined;
  return meant.length === 1 ? jobOf(first) : { ...jobOf(first), search: {} };
}

/** The one run or job that was meant. */
export function onlyPlace(meant: readonly Meant[]): Place | undefined {
  const [first] = meant;
  return first !== undefined && meant.length === 1 ? placeOf(first) : onlyJob(meant);
}

/** The filters that list all jobs with the id, of ways to write one of which the API named fewer than there are. */
export function leftOut(meant: readonly Meant[], id: string): readonly Search[] {
  const filters: readonly [Meant["knownAs"], string][] = [
    ["client id", "clientId"],
    ["pod name", "podName"],
  ];
  const isLong = (known: string) => meant.filter(({ knownAs }) => knownAs === known).length > MOST;
  return filters.filter(([known]) => isLong(known)).map(([, filter]) => ({ [filter]: [id] }));
}
