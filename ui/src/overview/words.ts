import type { Step } from "./address";
import type { Window } from "./behind";
import type { Fault } from "./faults";

/** How an hour or a day is named at the axis of the chart, in the zone of the page. */
export function tickText(at: string, step: Step, zone: string): string {
  const isMidnight = clock(at, zone) === "00:00";
  return step === "day" || isMidnight ? format(at, zone, { day: "numeric", month: "short" }) : clock(at, zone);
}

/** An hour or a day in full: `Thu 26 Nov 2026, 14:00 to 15:00`. */
export function spanText({ since, until }: Window, step: Step, zone: string): string {
  const day = format(since, zone, { weekday: "short", day: "numeric", month: "short", year: "numeric" });
  return step === "day" ? day : `${day}, ${clock(since, zone)} to ${clock(until, zone)}`;
}

/** What was counted so long ago is as of now: the page asks again before that. */
const RECENT = 120_000;

/** A window in full. What ends now or later has not ended: `25 Nov 2026, 14:00 until now (UTC)`, after "from". */
export function windowText({ since, until }: Window, zone: string, now: number): string {
  const end = Date.parse(until) > now - RECENT ? "now" : dated(until, zone);
  return `${dated(since, zone)} until ${end} (${zone})`;
}

/** Whose fault, in a word that a legend has room for. */
export function faultName(fault: Fault): string {
  return { infra: "Infra", platform: "Platform", user: "User", unknown: "Unknown" }[fault];
}

/** A moment in the zone of the page: `25 Nov 2026, 14:00`. */
export function dated(at: string, zone: string): string {
  return format(at, zone, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

function clock(at: string, zone: string): string {
  return format(at, zone, { hour: "2-digit", minute: "2-digit" });
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making a format takes longer than formatting a month of hours, so each is made once. */
function format(at: string, zone: string, options: Intl.DateTimeFormatOptions): string {
  const name = `${zone} ${JSON.stringify(options)}`;
  const known = formats.get(name);
  const made = known ?? new Intl.DateTimeFormat("en-GB", { ...options, hourCycle: "h23", timeZone: zone });
  if (known === undefined) formats.set(name, made);
  return made.format(Date.parse(at));
}
