import { type RefObject, useEffect, useRef } from "react";

interface Props {
  /** What scrolls sideways. */
  readonly of: RefObject<HTMLElement | null>;
  /** How wide what is in it is, in pixels. */
  readonly width: number;
}

/** A scrollbar that stays in the window: that of a long table is at its end, which may be thousands of rows away. */
export function Sideways({ of, width }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const [table, own] = [of.current, bar.current];
    if (table === null || own === null) return;
    return together(table, own);
  }, [of]);
  return (
    <div ref={bar} className="sideways" aria-hidden tabIndex={-1}>
      <div style={{ width }} />
    </div>
  );
}

/** Has each of two scroll with the other, until what it returns is called. */
function together(one: HTMLElement, other: HTMLElement): () => void {
  const followed = () => {
    other.scrollLeft = one.scrollLeft;
  };
  const following = () => {
    one.scrollLeft = other.scrollLeft;
  };
  followed();
  one.addEventListener("scroll", followed);
  other.addEventListener("scroll", following);
  return () => {
    one.removeEventListener("scroll", followed);
    other.removeEventListener("scroll", following);
  };
}
