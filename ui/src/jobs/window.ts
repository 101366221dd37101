import { firstOf, type Search, withValues } from "../url/search";

const DAY = 86_400_000;
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY };

/** Rows are counted over this much at most. */
const LONGEST = 7 * DAY;

/** A query whose window the API counts: the last seven days of it, if it is longer. Without a begin it stays as it is. */
export function countable(query: Search, now: number): Search {
  const since = firstOf(query, "since");
  if (since === undefined && !("until" in query)) return query;
  const until = momentOfBound(firstOf(query, "until"), now) ?? now;
  const from = momentOfBound(since, now) ?? Number.NEGATIVE_INFINITY;
  if (until - from <= LONGEST) return query;
  const earliest = "until" in query ? new Date(until - LONGEST + 1_000).toISOString() : "7d";
  return withValues(query, "since", [earliest]);
}

/** The moment of a bound such as `24h`; nothing for one that has none, such as `beginning`. */
export function momentOfBound(bound: string | undefined, now: number): number | undefined {
  if (bound === undefined || bound === "beginning") return undefined;
  const [, number, unit = ""] = /^(\d+)([smhd])$/.exec(bound) ?? [];
  return number === undefined ? Date.parse(bound) : now - Number(number) * (UNITS[unit] ?? 0);
}
