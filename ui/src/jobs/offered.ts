import { useQuery } from "@tanstack/react-query";

import type { Search } from "../url/search";
import { kindOf } from "./filterable";
import { GROUPINGS } from "./groups";
import { type KnownValues, knownOf } from "./known-values";
import { failureValues, jobValues } from "./queries";

const OF_JOBS = new Set<string>([...GROUPINGS, "state"]);
const OF_FAILURES = new Set(["mechanism", "occurrence", "grade", "fingerprint", "userCodeRan"]);

/** The values of a column that are there to be chosen; they are asked for when somebody is about to. */
export function useKnownValues(column: string, query: Search, isUsed: boolean): KnownValues {
  const ofJobs = useQuery({ ...jobValues(column, query), enabled: isUsed && OF_JOBS.has(column) });
  const ofFailures = useQuery({ ...failureValues(column, query), enabled: isUsed && OF_FAILURES.has(column) });
  const kind = kindOf(column);
  const fixed = typeof kind === "object" ? kind : kind === "flag" ? ["true", "false"] : [];
  const facet = ofJobs.data ?? ofFailures.data;
  return knownOf(facet, fixed, ofJobs.data === undefined ? "Failed runs" : "Jobs");
}
