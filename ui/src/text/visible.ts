/**
 * Text that pods wrote, with every character that could hide or reorder something written out.
 *
 * React shows text as text, so no markup in it does anything. What remains are control characters, and those that
 * change the direction of text or take no room: a log line could look like another one.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;
const KEPT = new Set(["\n", "\t"]);

export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => (KEPT.has(character) ? character : escaped(character)));
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]+/g, " ");
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${hex(code, 2)}` : `\\u{${hex(code, 4)}}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
