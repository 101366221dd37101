/** More than people read at a glance, in characters. */
export const GLANCE = 600;

/** The beginning of a text that is longer than that, or than so many characters; never half a character. */
export function shortened(text: string, most = GLANCE): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Both ends of an id: many begin alike, as those that begin with a time do. One that is short stays whole. */
export function ends(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 4)}…${id.slice(-8)}`;
}
