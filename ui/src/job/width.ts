/** How wide the panel beside the table is, in pixels. */
export const WIDTHS = { least: 360, usual: 760, most: 1_600, step: 40 } as const;

const KEY = "lookout.panel";

export function widthWithin(width: number): number {
  if (Number.isNaN(width)) return WIDTHS.usual;
  return Math.min(Math.max(Math.round(width), WIDTHS.least), WIDTHS.most);
}

/** The width that a key leads to: the panel is at the right, so to the left it becomes wider. */
export function widthAfter(key: string, width: number): number | undefined {
  switch (key) {
    case "ArrowLeft":
      return widthWithin(width + WIDTHS.step);
    case "ArrowRight":
      return widthWithin(width - WIDTHS.step);
    case "Home":
      return WIDTHS.least;
    case "End":
      return WIDTHS.most;
    default:
      return undefined;
  }
}

/** The width that was chosen last in this browser. */
export function lastWidth(): number {
  try {
    return widthWithin(Number.parseInt(localStorage.getItem(KEY) ?? "", 10));
  } catch {
    return WIDTHS.usual; // the browser keeps nothing for this page
  }
}

export function keepWidth(width: number): void {
  try {
    localStorage.setItem(KEY, String(width));
  } catch {
    // as above
  }
}
