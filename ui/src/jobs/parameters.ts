import { isZone } from "../text/zones";
import { printSearch, type Search, withValues } from "../url/search";
import { fits, hasOperator, isMoment, kindOf, partsOf } from "./filterable";

const SORTS: readonly string[] = ["-firstAt", "firstAt", "queue", "-queue", "jobSet", "-jobSet", "owner", "-owner"];

const ONCE = new Set(["since", "until", "sort"]);
const MOST_VALUES = 100;

/** What the page itself keeps in its address, beside the parameters of the API. */
const OF_THE_PAGE = new Set(["group", "in", "columns", "zone", "open", "run"]);

export interface Ignored {
  readonly text: string;
  readonly why: string;
}

/** An address in two parts: what is asked of the API, and what made no sense. */
export interface Reading {
  readonly query: Search;
  readonly ignored: readonly Ignored[];
}

/** Read the parameters of an address. What the API would refuse is left out, and named. */
export function readParameters(search: Search): Reading {
  const query: Record<string, readonly string[]> = {};
  const ignored: Ignored[] = [];
  for (const [name, values] of Object.entries(search)) {
    if (OF_THE_PAGE.has(name)) continue;
    const why = wrongWith(name);
    const fit = why === undefined ? values.filter((value) => isFit(name, value)) : [];
    const kept = fit.slice(0, isSingle(name) ? 1 : MOST_VALUES);
    if (kept.length > 0) query[name] = kept;
    for (const value of values.filter((value) => !kept.includes(value))) {
      ignored.push({ text: `${name}=${value}`, why: why ?? reasonFor(name, fit.includes(value)) });
    }
  }
  return { query, ignored };
}

function reasonFor(name: string, isFit: boolean): string {
  if (isFit) return "there are too many values of it";
  return name.endsWith(".contains") ? "it needs 3 characters or more" : "it cannot have this value";
}

/** Which parts of a list, as those of `group`, are not known. */
export function unknownParts(search: Search, name: string, known: readonly string[]): readonly Ignored[] {
  const parts = (search[name] ?? []).flatMap((text) => text.split(","));
  return parts
    .filter((part) => !known.includes(part))
    .map((part) => ({ text: `${name}=${part}`, why: "there is no such column" }));
}

/** The zone in which an address writes times, if there is such a zone. */
export function zoneOf(search: Search): string | undefined {
  return search.zone?.find(isZone);
}

/** A view without a filter; `since` stands for the whole window of time. */
export function without(search: Search, name: string): Search {
  const { [name]: _, ...others } = search;
  return name === "since" ? withValues(others, "until", []) : others;
}

/** A view of the last day, which takes less time to find. */
export function lastDay(search: Search): Search {
  return { ...without(search, "since"), since: ["24h"] };
}

/** Whether an address lists other things than another, or only shows them in another way. */
export function isOtherList(search: Search, next: Search): boolean {
  return listed(search) !== listed(next);
}

function listed(search: Search): string {
  return printSearch(
    Object.fromEntries(Object.entries(search).filter(([name]) => !OF_THE_PAGE.has(name) || name === "group")),
  );
}

/** The filters of a query: all but the order and the time. */
export function filterNames(query: Search): readonly string[] {
  return Object.keys(query).filter((name) => !ONCE.has(name));
}

function wrongWith(name: string): string | undefined {
  if (ONCE.has(name)) return undefined;
  const [column, operator] = partsOf(name);
  if (kindOf(column) === undefined) return "there is no such filter";
  return hasOperator(column, operator) ? undefined : "it is not compared so";
}

/** Only of whole values several may be asked for. */
function isSingle(name: string): boolean {
  return ONCE.has(name) || name.includes(".");
}

function isFit(name: string, value: string): boolean {
  if (name === "sort") return SORTS.includes(value);
  if (name === "since" || name === "until") return isBound(value);
  return fits(...partsOf(name), value);
}

function isBound(value: string): boolean {
  return value === "beginning" || /^\d{1,6}[smhd]$/.test(value) || isMoment(value);
}
