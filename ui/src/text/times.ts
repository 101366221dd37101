/** Times as people read them. The moment it is now is an argument, so the same times always give the same text. */

const STEPS: readonly [seconds: number, unit: string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
];

/** How long ago, in one unit: `12 s ago`. Clocks differ, so a time a little ahead is now. */
export function ago(at: string | number, now: number): string {
  const seconds = Math.floor((now - moment(at)) / 1000);
  if (Number.isNaN(seconds)) return "at an unknown time";
  if (seconds < -60) return `in ${long(-seconds)}`;
  return seconds < 1 ? "now" : `${long(seconds)} ago`;
}

function long(seconds: number): string {
  const [size, unit] = STEPS.find(([size]) => seconds >= size) ?? [1, "s"];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/** The date and time in a zone, which is named: `26 Nov 2026, 14:03:05 UTC`. */
export function absolute(at: string | number, zone?: string): string {
  const time = moment(at);
  if (Number.isNaN(time)) return String(at);
  return new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
    timeZone: zone,
  }).format(time);
}

/** What a field of date and time shows for a moment, in the zone of the browser: `2026-11-26T14:03`. */
export function fieldOf(at: string): string {
  const time = moment(at);
  if (Number.isNaN(time)) return "";
  const shifted = time - new Date(time).getTimezoneOffset() * 60_000;
  return new Date(shifted).toISOString().slice(0, 16);
}

/** The moment that a field of date and time means in the zone of the browser, in UTC; nothing if it is not filled. */
export function momentOf(field: string): string | undefined {
  const time = new Date(field).getTime();
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().replace(".000Z", "Z");
}

/** The zone of this browser. */
export function zoneHere(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function moment(at: string | number): number {
  return typeof at === "number" ? at : Date.parse(at);
}
