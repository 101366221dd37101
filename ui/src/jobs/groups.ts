import type { components } from "../api/schema";
import { FAULTS } from "../overview/faults";
import { counted as inDigits } from "../text/numbers";
import { visibleLine } from "../text/visible";
import { firstOf, type Search, withValues } from "../url/search";
import { faultText } from "./failure";
import { countable } from "./window";
import { columnText } from "./words";

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
  "node",
  "exitCode",
  "container",
  "reason",
  "action",
  "policy",
  "rule",
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

/** Grouped in another way; what was open in the groups before is not there any more. */
export function withGroupings(search: Search, by: readonly string[]): Search {
  return withValues(withValues(search, "in", []), "group", by.length === 0 ? [] : [by.join(",")]);
}

/** The values of the groups that lead to one, the outermost first. */
export type Path = readonly Group["value"][];

/** No value, which is not the same as an empty one, is written as nothing. */
export function pathText(path: Path): string {
  return path.map((value) => (value === null ? "" : value === "" ? "=" : encodeURIComponent(String(value)))).join("/");
}

export function isOpen(search: Search, path: Path): boolean {
  return search.in?.includes(pathText(path)) ?? false;
}

const MOST_OPEN = 50;

/** With a group opened, or closed with all that is open in it. */
export function turned(search: Search, path: Path): Search {
  const text = pathText(path);
  const open = search.in ?? [];
  if (!open.includes(text)) return withValues(search, "in", [...open, text].slice(-MOST_OPEN));
  const others = open.filter((other) => other !== text && !other.startsWith(`${text}/`));
  return withValues(search, "in", others);
}

/** What the address opens that cannot be there: it is deeper than the groups are. */
export function openJunk(search: Search, by: readonly Grouping[]): readonly string[] {
  return (search.in ?? []).filter((text) => text.split("/").length >= by.length);
}

/** The columns of a job itself: each job has one value of it. Of all others it has that of its latest failure. */
const OF_JOB: ReadonlySet<string> = new Set(["queue", "owner", "namespace", "jobSet"]);

export function isOfFailure(column: Grouping): boolean {
  return !OF_JOB.has(column);
}

/**
 * The filters with which the groups in a group are counted: as few jobs as filters can say. Filters on runs find jobs of
 * which any run is so, groups are of the latest failure: so the group itself has to be taken from the answer.
 */
export function within(query: Search, by: readonly Grouping[], path: Path): Search {
  let found = query;
  for (const [at, value] of path.entries()) {
    const column = by[at];
    if (column === undefined || value === null || value === "") continue;
    if (isOfFailure(column) && Object.keys(query).some((name) => name.split(".")[0] === column)) continue;
    found = withValues(found, column, [String(value)]);
  }
  return found;
}

/** How a group is called. */
export function nameOf(group: Group, column: Grouping = "queue"): string {
  if (group.value !== null && group.value !== "") return visibleLine(String(group.value));
  if (group.value === "" || !isOfFailure(column)) return `no ${columnText(column)}`;
  return group.failed === 0 ? "no failure" : `no ${columnText(column)}, or no failure`;
}

/** The group with this path, if it is among those that were counted. */
export function groupAt(group: Group, path: Path): Group | undefined {
  return path.reduce<Group | undefined>((group, value) => group?.groups.find((inner) => inner.value === value), group);
}

/** What is counted: the last day, unless the address says another time. */
export function counted(query: Search, now: number): Search {
  const bounded = countable(query, now);
  return "since" in bounded ? bounded : withValues(bounded, "since", ["24h"]);
}

/** The view of the jobs in a group; nothing if no filter finds them, as those without a failure. */
export function jobsIn(search: Search, by: readonly Grouping[], path: Path): Search | undefined {
  let found = withGroupings(search, []);
  for (const [at, value] of path.entries()) {
    const column = by[at] ?? "queue";
    if (isOfFailure(column) && value === null) return undefined;
    if (value !== null && value !== "") {
      found = withValues(found, column, [String(value)]);
      continue;
    }
    found = { ...withValues(found, column, []), [`${column}.exists`]: ["false"] };
    if (isOfFailure(column) && !("state" in found)) found = { ...found, state: ["any-failure"] };
  }
  return found;
}

/** Counts in words, the largest first: `failed 90, succeeded 114`. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return sorted(counts)
    .map(([name, count]) => `${name} ${inDigits(count)}`)
    .join(", ");
}

/** The parts of a whole by fault, in percent, in the order of every bar of faults: rows are compared by their colours. */
export function shares(counts: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  const whole = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const order: readonly string[] = FAULTS;
  const place = ([origin]: readonly [string, number]) => order.indexOf(faultText(origin));
  return sorted(counts)
    .toSorted((first, second) => place(first) - place(second))
    .map(([name, count]) => [name, (100 * count) / whole]);
}

function sorted(counts: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([, count], [, other]) => other - count);
}
