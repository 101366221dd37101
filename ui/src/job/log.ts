export interface Line {
  readonly text: string;
  readonly isKey: boolean;
}

/** What terminals take for colours: key lines come without. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOUR = /\u001b\[[0-9;]*[A-Za-z]/g;

/** How agents end a text that they cut. */
const CUT = "...[truncated]";

/** What makes lines important: whole lines that name the error, and parts of lines by which a rule decided. */
export interface Keys {
  readonly lines: readonly string[];
  readonly parts: readonly string[];
}

export const NO_KEYS: Keys = { lines: [], parts: [] };

/** The lines of a text, with those marked that name the error; if none does, those by which a rule decided. */
export function linesOf(text: string, keys: Keys): Line[] {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const plain = lines.map((line) => line.replace(COLOUR, "").trim());
  const named = plain.map(namer(keys.lines));
  const marked = named.includes(true)
    ? named
    : plain.map((line) => keys.parts.some((part) => part !== "" && line.includes(part)));
  return lines.map((line, at) => ({ text: line, isKey: marked[at] ?? false }));
}

/** Whether a line is one of the key lines, or begins as one does that was cut. */
function namer(keys: readonly string[]): (line: string) => boolean {
  const said = keys.map((key) => key.trim()).filter((key) => key !== "");
  const whole = new Set(said.filter((key) => !key.endsWith(CUT)));
  const begun = said.filter((key) => key.endsWith(CUT)).map((key) => key.slice(0, -CUT.length));
  return (line) => whole.has(line) || begun.some((begin) => begin !== "" && line.startsWith(begin));
}

interface Match {
  readonly where?: string;
  readonly text?: string;
}

/** Places of a match whose text is in what containers wrote. */
const WRITTEN = /(?:message|log|output|error)$/;
const SHORTEST = 3;

/** The parts of lines by which a rule decided, if it read lines: both its places and its texts are joined by `; `. */
export function partsOf(match: Match | undefined): string[] {
  const places = (match?.where ?? "").split("; ");
  const texts = (match?.text ?? "").split("; ");
  if (places.length !== texts.length) return [];
  return texts.filter((text, at) => text.length >= SHORTEST && WRITTEN.test(places[at] ?? ""));
}

/** What to say instead of a log that shows nothing new; empty if it does. */
export function sameOf(log: string, message: string): string {
  if (log.trim() === "") return "it is empty";
  return log.trim() === message.trim() ? "it is the termination message above" : "";
}
