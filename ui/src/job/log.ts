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
