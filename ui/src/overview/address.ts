import { type Ignored, readParameters } from "../jobs/parameters";
import { momentOfBound } from "../jobs/window";
import { fieldIn, isZone, momentIn } from "../text/zones";
import { firstOf, type Search, withValues } from "../url/search";

export type Step = "hour" | "day";

/** What an address of the overview says. */
export interface View {
  /** `since` and `until`, as the API takes them. */
  readonly window: Search;
  /** Which queues and clusters are counted; none means all. */
  readonly filters: Search;
  readonly step: Step;
  readonly zone: string;
  /** Runs that a node needs to be compared. */
  readonly leastRuns: number;
  readonly isTable: boolean;
}

interface Reading {
  readonly view: View;
  readonly ignored: readonly Ignored[];
}

/** The windows that are one click away. */
export const WINDOWS = [
  ["24h", "24 hours"],
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["90d", "90 days"],
] as const;

export const LEAST_RUNS = 20;

const USUAL = "24h";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Up to here hours are shown unless days are asked for, and up to there they can be. */
const IN_HOURS = 3 * DAY;
const MOST_IN_HOURS = 31 * DAY;

const OWN: Readonly<Record<string, (value: string) => boolean>> = {
  step: (value) => value === "hour" || value === "day",
  zone: isZone,
  leastRuns: (value) => /^[1-9]\d{0,5}$/.test(value),
  show: (value) => value === "table",
};
const BOUNDS = ["since", "until"];
const OF_JOBS = [...BOUNDS, "queue", "cluster"];

/** Read an address. What makes no sense on this page is left out, and named; so is `beginning`, which is too long. */
export function readAddress(search: Search, now: number, zoneHere: string): Reading {
  const { query, ignored } = readParameters(Object.fromEntries(OF_JOBS.map((name) => [name, valuesOf(search, name)])));
  const { queue, cluster, ...bounds } = query;
  const window = { since: [usualSince(bounds, now)], ...bounds };
  const own = (name: string) => [firstOf(search, name)].find((value) => value !== undefined && OWN[name]?.(value));
  const filters = Object.entries({ queue, cluster }).filter(([, values]) => values !== undefined);
  return {
    view: {
      window,
      filters: Object.fromEntries(filters) as Search,
      step: stepOf(own("step"), lengthOf(window, now)),
      zone: own("zone") ?? zoneHere,
      leastRuns: Number(own("leastRuns") ?? LEAST_RUNS),
      isTable: own("show") !== undefined,
    },
    ignored: [...ignored, ...otherParts(search)],
  };
}

/** A day back, from `until` if there is one. */
function usualSince(bounds: Search, now: number): string {
  const until = momentOfBound(firstOf(bounds, "until"), now);
  return until === undefined ? USUAL : new Date(until - DAY).toISOString();
}

/**
 * The window from the beginning of its first hour, or day in the zone: so all parts of the page count the same. It stays
 * the same while that hour or day is the first.
 */
export function wholeWindow({ window, step, zone }: View, now: number): Search {
  const since = momentOfBound(firstOf(window, "since"), now) ?? now - DAY;
  const first = step === "day" ? startOfDay(zone, since) : Math.floor(since / HOUR) * HOUR;
  return { ...window, since: [new Date(first).toISOString().replace(".000Z", "Z")] };
}

function startOfDay(zone: string, moment: number): number {
  const day = fieldIn(zone, new Date(moment).toISOString()).slice(0, 10);
  return Date.parse(momentIn(zone, `${day}T00:00`) ?? "");
}

/** How long a window is in milliseconds. */
export function lengthOf(window: Search, now: number): number {
  const until = momentOfBound(firstOf(window, "until"), now) ?? now;
  return until - (momentOfBound(firstOf(window, "since"), now) ?? until - DAY);
}

/** Whether so much time can be shown in hours. */
export function fitsHours(length: number): boolean {
  return length <= MOST_IN_HOURS;
}

/** The same page with a window; its zone is said from now on, so that a link shows others the same. */
export function withWindow(search: Search, bounds: Search, zone: string): Search {
  const { since: _since, until: _until, step: _step, ...others } = search;
  return { ...others, ...bounds, zone: [zone] };
}

/** The same page without what makes no sense on it. */
export function withoutIgnored(search: Search, ignored: readonly Ignored[]): Search {
  const dropped = new Set(ignored.map(({ text }) => text));
  return Object.entries(search).reduce((kept, [name, values]) => {
    const fit = values.filter((value) => !dropped.has(`${name}=${value}`));
    return withValues(kept, name, fit);
  }, search);
}

function valuesOf(search: Search, name: string): readonly string[] {
  return (search[name] ?? []).filter((value) => !isTooLong(name, value));
}

function isTooLong(name: string, value: string): boolean {
  return value === "beginning" && BOUNDS.includes(name);
}

function stepOf(asked: string | undefined, length: number): Step {
  if (!fitsHours(length)) return "day";
  if (asked !== undefined) return asked === "hour" ? "hour" : "day";
  return length <= IN_HOURS ? "hour" : "day";
}

/** What neither the page nor the API understands here. */
function otherParts(search: Search): readonly Ignored[] {
  return Object.entries(search).flatMap(([name, values]) =>
    values.flatMap((value) => {
      const why = wrongWith(name, value);
      return why === undefined ? [] : [{ text: `${name}=${value}`, why }];
    }),
  );
}

function wrongWith(name: string, value: string): string | undefined {
  if (isTooLong(name, value)) return "that is too long to be shown; write 90d";
  if (OF_JOBS.includes(name)) return undefined;
  if (!Object.hasOwn(OWN, name)) return "this page has no such filter; the page of jobs may";
  return OWN[name]?.(value) ? undefined : "it cannot have this value";
}
