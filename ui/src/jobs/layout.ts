import type { Ignored } from "./parameters";

/** A column of the table, and how wide somebody made it. */
export interface Placed {
  readonly id: string;
  readonly width?: number;
}

export const NARROWEST = 64;
export const WIDEST = 1_600;

/** Which columns there are, in which order and how wide, as an address has it: `name,failure:420,queue`. */
export function readLayout(text: string, known: readonly string[]): readonly Placed[] {
  const placed = new Map<string, Placed>();
  for (const part of partsOf(text)) {
    if (known.includes(part.id) && !placed.has(part.id)) placed.set(part.id, placedOf(part));
  }
  return [...placed.values()];
}

export function printLayout(layout: readonly Placed[]): string {
  return layout.map(({ id, width }) => (width === undefined ? id : `${id}:${width}`)).join(",");
}

/** What of such a text makes no sense. */
export function layoutJunk(text: string, known: readonly string[]): readonly Ignored[] {
  return partsOf(text).flatMap(({ id, width }) => {
    if (!known.includes(id)) return [{ text: `columns=${id}`, why: "there is no such column" }];
    if (width === undefined || isWidth(width)) return [];
    return [{ text: `columns=${id}:${width}`, why: `a width is a number from ${NARROWEST} to ${WIDEST}` }];
  });
}

/** With a column so many places further to the end, or to the beginning. */
export function moved(layout: readonly Placed[], id: string, places: number): readonly Placed[] {
  const at = layout.findIndex((column) => column.id === id);
  const column = layout[at];
  if (column === undefined) return layout;
  const others = layout.toSpliced(at, 1);
  return others.toSpliced(Math.min(Math.max(at + places, 0), others.length), 0, column);
}

/** With a column added at the end, or taken away. The last one stays. */
export function switched(layout: readonly Placed[], id: string): readonly Placed[] {
  const others = layout.filter((column) => column.id !== id);
  if (others.length === layout.length) return [...layout, { id }];
  return others.length === 0 ? layout : others;
}

/** With a column of this width. */
export function resized(layout: readonly Placed[], id: string, width: number): readonly Placed[] {
  const bounded = Math.round(Math.min(Math.max(width, NARROWEST), WIDEST));
  return layout.map((column) => (column.id === id ? { id, width: bounded } : column));
}

/** The column that takes the room that is left: what failed, or the last one whose width nobody chose. */
export function flexibleOf(layout: readonly Placed[]): string | undefined {
  const free = layout.filter(({ width }) => width === undefined);
  return (free.find(({ id }) => id === "failure") ?? free.at(-1))?.id;
}

function partsOf(text: string): readonly { id: string; width?: string }[] {
  return text.split(",").map((part) => {
    const [id = "", width] = part.split(":", 2);
    return width === undefined ? { id } : { id, width };
  });
}

function placedOf({ id, width }: { id: string; width?: string }): Placed {
  return width !== undefined && isWidth(width) ? { id, width: Number(width) } : { id };
}

function isWidth(text: string): boolean {
  return /^\d{1,4}$/.test(text) && Number(text) >= NARROWEST && Number(text) <= WIDEST;
}
