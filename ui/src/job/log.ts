export interface Line {
  readonly text: string;
  readonly isKey: boolean;
}

/** What terminals take for colours: key lines come without. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOUR = /\u001b\[[0-9;]*[A-Za-z]/g;

/** The lines of a text, with those marked that say what one of the key lines says. */
export function linesOf(text: string, keys: readonly string[]): Line[] {
  const wanted = new Set(keys.map((key) => key.trim()).filter((key) => key !== ""));
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.map((line) => ({ text: line, isKey: wanted.has(line.replace(COLOUR, "").trim()) }));
}

/** What to say instead of a log that shows nothing new; empty if it does. */
export function sameOf(log: string, message: string): string {
  if (log.trim() === "") return "it is empty";
  return log.trim() === message.trim() ? "it is the termination message above" : "";
}
