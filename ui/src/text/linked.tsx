import { piecesOf } from "./links";
import { visibleLine } from "./visible";

/** A line that people wrote in rules or settings, with its addresses as links. Text from pods has none. */
export function Linked({ text }: { text: string }) {
  let at = 0;
  return piecesOf(visibleLine(text)).map((piece) => {
    const key = `${at} ${piece.text}`;
    at += piece.text.length;
    if (piece.href === undefined) return <span key={key}>{piece.text}</span>;
    return (
      <a key={key} className="anchor" href={piece.href} target="_blank" rel="noopener noreferrer">
        {piece.text}
      </a>
    );
  });
}
