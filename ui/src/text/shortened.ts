/** More than people read at a glance, in characters. */
export const GLANCE = 600;

/** The beginning of a text that is longer than that; never half a character. */
export function shortened(text: string): string {
  if (text.length <= GLANCE) return text;
  return `${text.slice(0, GLANCE).replace(/[\ud800-\udbff]$/, "")}…`;
}
