/** Times in a zone that need not be that of the browser. Zones are named as IANA does: `Europe/Berlin`. */

const MINUTE = 60_000;

/** Whether there is such a zone. Browsers take more than names, such as `+05:30`; the API does not. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false; // a RangeError: no zone is called so
  }
}

/** All zones that the browser names, with those first that people look for first. */
export function zoneNames(...first: readonly string[]): readonly string[] {
  return [...new Set([...first, "UTC", ...Intl.supportedValuesOf("timeZone")])];
}

/** What a field of date and time shows for a moment: `2026-11-26T14:03`. */
export function fieldIn(zone: string, at: string): string {
  const time = Date.parse(at);
  return Number.isNaN(time) ? "" : new Date(time + offset(zone, time)).toISOString().slice(0, 16);
}

/**
 * The moment that a field of date and time means, in UTC; nothing if it is not filled. Of a time that a change of
 * clocks repeats it is the first, and one that it leaves out is as much later.
 */
export function momentIn(zone: string, field: string): string | undefined {
  const local = Date.parse(`${field}Z`);
  if (Number.isNaN(local)) return undefined;
  const before = offset(zone, local - 24 * 60 * MINUTE);
  const after = offset(zone, local - before);
  const moment = after > before && offset(zone, local - after) !== after ? local - before : local - after;
  return new Date(moment).toISOString().replace(".000Z", "Z");
}

/** By how many milliseconds clocks in the zone are ahead of UTC. */
function offset(zone: string, time: number): number {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(time);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return local - (time - (time % 1000));
}
