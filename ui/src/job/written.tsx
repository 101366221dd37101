import type { ReactNode } from "react";

import { visible } from "../text/visible";
import { Copy } from "./facts";
import { type Keys, linesOf, NO_KEYS } from "./log";
import { keyed } from "./words";

interface WrittenProps {
  readonly title: string;
  readonly text: string;
  /** Which lines are marked and shown first; without it none are. */
  readonly keys?: Keys;
}

/** A text as it was written, with the lines that name the error marked. */
export function Written({ title, text, keys }: WrittenProps) {
  return (
    <Lined title={title} text={text} onShown={keys === undefined ? undefined : showKey}>
      {keyed(linesOf(text, keys ?? NO_KEYS), (line) => line.text).map(([key, line]) =>
        line.isKey ? <mark key={key}>{visible(line.text)}</mark> : <span key={key}>{visible(line.text) || " "}</span>,
      )}
    </Lined>
  );
}

interface LinedProps {
  readonly title: string;
  /** What is copied. */
  readonly text: string;
  readonly onShown?: ((lines: HTMLElement | null) => void) | undefined;
  readonly children: ReactNode;
}

/** Lines, in a region of their own that scrolls. */
export function Lined({ title, text, onShown, children }: LinedProps) {
  return (
    <figure className="written">
      <figcaption>
        {title} <Copy what={title} text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="lines" aria-label={title} tabIndex={0} ref={onShown}>
        {children}
      </section>
    </figure>
  );
}

/** Scrolls to the line that names the error; without one, to the end, where programs say why they end. */
function showKey(lines: HTMLElement | null) {
  if (lines === null) return;
  const key = lines.querySelector("mark");
  lines.scrollTop = key === null ? lines.scrollHeight : key.offsetTop - lines.offsetTop - lines.clientHeight / 2;
}
