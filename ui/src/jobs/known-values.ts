import type { components } from "../api/schema";
import { absolute } from "../text/times";

/** Values that can be chosen. `counts` are how often each was found, `base` says among what. */
export interface KnownValues {
  readonly values: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
  readonly base: string;
}

type Facet = components["schemas"]["Facet"];

/** What was found, the most frequent first, and then what else there can be. */
export function knownOf(facet: Facet | undefined, fixed: readonly string[], what: string): KnownValues {
  const counts = new Map<string, number>();
  for (const { value, count } of facet?.values ?? []) {
    if (value !== null && value !== "") counts.set(String(value), count);
  }
  const base = facet === undefined ? "" : `${what} since ${absolute(facet.since)}`;
  return { values: [...new Set([...counts.keys(), ...fixed])], counts, base };
}
