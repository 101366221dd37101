import type { components } from "../api/schema";
import { firstOf, type Search, withValues } from "../url/search";
import { countable } from "./window";

export type Group = components["schemas"]["Group"];

/** The columns by which jobs are grouped. Each group has its counts by state and fault anyhow. */
export const GROUPINGS = [
  "queue",
  "category",
  "subcategory",
  "origin",
  "owner",
  "namespace",
  "jobSet",
  "cluster",
] as const;
export type Grouping = (typeof GROUPINGS)[number];
export const DEEPEST = 4;

/** The columns that an address groups by; those that cannot be are left out. */
export function groupingsOf(search: Search): readonly Grouping[] {
  const named = new Set(firstOf(search, "group")?.split(","));
  return [...named].filter(isGrouping).slice(0, DEEPEST);
}

function isGrouping(name: string): name is Grouping {
  return (GROUPINGS as readonly string[]).includes(name);
}

export function withGroupings(search: Search, by: readonly string[]): Search {
  return withValues(search, "group", by.length === 0 ? [] : [by.join(",")]);
}

/** What is counted: the last day, unless the address says another time. */
export function counted(query: Search, now: number): Search {
  const bounded = countable(query, now);
  return "since" in bounded ? bounded : withValues(bounded, "since", ["24h"]);
}

/** The jobs of a group: the same view with one more filter, grouped by the columns below. */
export function narrowed(search: Search, by: readonly Grouping[], value: Group["value"]): Search {
  const [column = "queue", ...below] = by;
  const rest = withGroupings(search, below);
  if (value === null || value === "") return { ...withValues(rest, column, []), [`${column}.exists`]: ["false"] };
  return withValues(rest, column, [String(value)]);
}

/** Counts in words, the largest first: `failed 90, succeeded 114`. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return sorted(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}

/** The parts of a whole, in percent, the largest first. */
export function shares(counts: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  const whole = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return sorted(counts).map(([name, count]) => [name, (100 * count) / whole]);
}

function sorted(counts: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([, count], [, other]) => other - count);
}
