import { defaultRangeExtractor, type Range, useWindowVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** Rows beyond the window that are drawn: all of the first page, so that the browser's own search finds them. */
const AROUND = 40;

/** About the height of a row with two lines. */
const USUAL_HEIGHT = 62;

interface Part {
  readonly index: number;
  readonly key: string;
  /** What is left out before this row, in pixels. */
  readonly gap: number;
}

export interface VirtualRows {
  readonly parts: readonly Part[];
  /** What is left out after the last row. */
  readonly rest: number;
  readonly measure: Virtualizer<Window, HTMLTableRowElement>["measureElement"];
}

/** Which rows of a long table are drawn: those in the window, those around it, and the one that has the focus. */
export function useVirtualRows(body: RefObject<HTMLElement | null>, keys: readonly string[]): VirtualRows {
  const top = useTop(body);
  const focused = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    focused.current = focusedIn(body.current);
  });
  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    count: keys.length,
    estimateSize: () => USUAL_HEIGHT,
    overscan: AROUND,
    scrollMargin: top,
    getItemKey: (index) => keys[index] ?? index,
    rangeExtractor: (range) => withRow(range, focusedIn(body.current) ?? focused.current),
  });
  let end = top;
  const parts = virtualizer.getVirtualItems().map((item) => {
    const part = { index: item.index, key: String(item.key), gap: Math.max(0, item.start - end) };
    end = item.end;
    return part;
  });
  return { parts, rest: Math.max(0, virtualizer.getTotalSize() + top - end), measure: virtualizer.measureElement };
}

function withRow(range: Range, row: number | undefined): number[] {
  const indexes = defaultRangeExtractor(range);
  if (row === undefined || row >= range.count || indexes.includes(row)) return indexes;
  return [...indexes, row].sort((index, other) => index - other);
}

function focusedIn(body: HTMLElement | null): number | undefined {
  const row = document.activeElement?.closest<HTMLElement>("tr[data-index]");
  return row != null && body?.contains(row) ? Number(row.dataset.index) : undefined;
}

/** How far down the page a table begins. */
function useTop(body: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (body.current === null) return;
    const found = Math.round(body.current.getBoundingClientRect().top + window.scrollY);
    setTop((known) => (known === found ? known : found));
  });
  return top;
}
