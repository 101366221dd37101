/** What the API writes in its own form, as people read it. */

/** A value of an enumeration without its prefix: `CONTAINER_KIND_APP` is `app`; what is not known is empty. */
export function wordOf(value: string | undefined, prefix: string): string {
  const word = (value ?? "").replace(prefix, "");
  return word === "UNSPECIFIED" ? "" : word.toLowerCase().replaceAll("_", " ");
}

/** A state of a job, as the scheduler or Lookout writes it, in words. */
export function stateWord(state: string | undefined): string {
  const word = wordOf(state, "JOB_STATE_").replaceAll("-", " ");
  return word === "retry waiting" ? "waiting for its next run" : word;
}

/** What people call a job: its name, or the id that they gave it; empty if they gave it neither. */
export function calledBy(job: { readonly name: string; readonly clientId: string }): string {
  return job.name || job.clientId;
}

/** With a capital, as a sentence begins. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** With a full stop, unless it ends as a sentence already. */
export function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? capital(text) : `${capital(text)}.`;
}

/** How long something took: `3 s`, `2 min 5 s`, `1 h 4 min`. */
export function lasting(seconds: number): string {
  if (seconds < 1) return seconds <= 0 ? "0 s" : "less than 1 s";
  const whole = Math.round(seconds);
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor(whole / 3_600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(" ");
}

/** How long it was from one moment to another; nothing if either is not known. */
export function between(from: string | null | undefined, to: string | null | undefined): string {
  const seconds = (Date.parse(to ?? "") - Date.parse(from ?? "")) / 1000;
  return Number.isNaN(seconds) || seconds < 0 ? "" : lasting(seconds);
}

const SIZES = ["B", "KiB", "MiB", "GiB", "TiB"];

/** An amount of memory: `512 MiB`. */
export function memory(bytes: number | null): string {
  if (bytes === null) return "not set";
  const step = Math.min(SIZES.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));
  return `${Number((bytes / 1024 ** step).toFixed(2))} ${SIZES[step]}`;
}

/** Things with a key each that stays while they stay, also where two are the same. */
export function keyed<Item>(items: readonly Item[], nameOf: (item: Item) => string): [string, Item][] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const name = nameOf(item);
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return [`${name} ${count}`, item];
  });
}
