import type { KeyboardEvent, PointerEvent } from "react";

import type { Column } from "./columns";
import { NARROWEST, WIDEST } from "./layout";

interface Props {
  readonly column: Column;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly onWidth: (id: string, width: number) => void;
}

/** The heading of a column: sorts by it, and makes it wider or narrower. */
export function Heading({ column, sort, onSort, onWidth }: Props) {
  const order = sort === column.sort ? "ascending" : sort === `-${column.sort}` ? "descending" : undefined;
  return (
    <th scope="col" aria-sort={order} data-column={column.id}>
      {column.sort === undefined ? (
        column.title
      ) : (
        <button type="button" className="sort" onClick={() => onSort(nextSort(column.sort ?? "", sort))}>
          {column.title} <span aria-hidden>{order === "ascending" ? "↑" : order === "descending" ? "↓" : "↕"}</span>
        </button>
      )}
      <Edge column={column} onWidth={onWidth} />
    </th>
  );
}

const STEP = 16;

/** The right edge of a column, which the mouse or the arrow keys move. */
function Edge({ column, onWidth }: Pick<Props, "column" | "onWidth">) {
  const onKey = (event: KeyboardEvent<HTMLSpanElement>) => {
    const step = event.key === "ArrowRight" ? STEP : event.key === "ArrowLeft" ? -STEP : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    onWidth(column.id, headingOf(event.currentTarget).offsetWidth + step);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule in the page cannot be moved
    <span
      className="edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${column.title}`}
      aria-valuenow={column.width}
      aria-valuemin={NARROWEST}
      aria-valuemax={WIDEST}
      tabIndex={0}
      onPointerDown={(event) => follow(event, (width) => onWidth(column.id, width))}
      onKeyDown={onKey}
    />
  );
}

/** Follows the pointer without drawing the table again; the width is chosen when it is released. */
function follow(event: PointerEvent<HTMLSpanElement>, onWidth: (width: number) => void): void {
  event.preventDefault();
  const edge = event.currentTarget;
  const heading = headingOf(edge);
  const column = heading.closest("table")?.querySelectorAll<HTMLElement>("col")[heading.cellIndex];
  const offset = heading.offsetWidth - event.clientX;
  edge.setPointerCapture(event.pointerId);
  edge.onpointermove = ({ clientX }) => column?.style.setProperty("width", `${offset + clientX}px`);
  edge.onpointerup = ({ clientX }) => {
    edge.onpointermove = null;
    edge.onpointerup = null;
    if (offset + clientX !== heading.offsetWidth || clientX !== event.clientX) onWidth(offset + clientX);
  };
}

function headingOf(edge: HTMLElement): HTMLTableCellElement {
  const heading = edge.closest("th");
  if (heading === null) throw new Error("an edge is in a heading");
  return heading;
}

/** A column that is sorted by is turned round; another one begins with what people look for first. */
function nextSort(column: string, sort: string): string {
  if (sort === `-${column}`) return column;
  return sort === column || column === "firstAt" ? `-${column}` : column;
}
