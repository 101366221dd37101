/** A piece of a text; `href` if it is an address that a browser may open. */
export interface Piece {
  readonly text: string;
  readonly href?: string;
}

const ADDRESS = /https?:\/\/[^\s<>"'`|\\^{}]+/gi;
/** What ends a sentence or closes brackets belongs to the text around an address. */
const AFTER = /[.,;:!?)\]]+$/;

/** A text with its addresses apart. Only http and https are links: a text may not run anything. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const found of text.matchAll(ADDRESS)) {
    const address = found[0].replace(AFTER, "");
    if (!URL.canParse(address)) continue;
    if (found.index > end) pieces.push({ text: text.slice(end, found.index) });
    pieces.push({ text: address, href: address });
    end = found.index + address.length;
  }
  return end < text.length ? [...pieces, { text: text.slice(end) }] : pieces;
}
