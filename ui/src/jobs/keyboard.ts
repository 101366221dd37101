import { useEffect } from "react";

/** The keys of this page, and what each does. */
export const KEYS = [
  ["↓ or j", "the next row"],
  ["↑ or k", "the row before"],
  ["Enter", "open the row"],
  ["→ and ←", "open and close a group"],
  ["c", "copy from the row"],
  ["Escape", "close what is open"],
  ["/", "search the key lines"],
  ["f", "add a filter"],
  ["m", "my jobs"],
  ["?", "these keys"],
] as const;

const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** Which row a key leads to. `at` is the one that has the focus, -1 if none has, `first` the first in the window. */
export function stepOf(key: string, at: number, rows: number, first = 0): number | undefined {
  const step = Object.hasOwn(STEPS, key) ? STEPS[key] : undefined;
  if (step === undefined || rows === 0) return undefined;
  return at < 0 ? first : Math.min(Math.max(at + step, 0), rows - 1);
}

/**
 * Listens to the keys of this page, unless somebody is typing. Keys that are not about rows are said by what they press:
 * a button or a field with `aria-keyshortcuts`.
 */
export function useKeyboard(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
      if (focusRow(event.key) || turnGroup(event.key) || press(event.key)) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** Whether keys mean something of their own where they are pressed. */
function isTaken(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest("input, textarea, select, [role=dialog], [role=menu], [role=listbox], [role=separator]") !== null
  );
}

/** The row that has the focus, or in which something has it. */
export function focusedRow(): HTMLElement | undefined {
  return document.activeElement?.closest("tr, li")?.querySelector<HTMLElement>("[data-row]") ?? undefined;
}

function focusRow(key: string): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const row = focusedRow();
  const next = stepOf(key, row === undefined ? -1 : rows.indexOf(row), rows.length, firstInWindow(rows));
  if (next === undefined) return false;
  const isInWindow = row === undefined || isVisible(row);
  // Whoever scrolled away comes back first: the rows around the one that had the focus may not be drawn.
  (isInWindow ? rows[next] : row)?.focus();
  if (!isInWindow) row.scrollIntoView({ block: "center" });
  return true;
}

/** Presses the button that has this key: that of the row, if the row has the focus. */
function press(key: string): boolean {
  if (key.length !== 1) return false;
  const selector = `[aria-keyshortcuts="${CSS.escape(key)}"]`;
  const within = focusedRow()?.closest("tr")?.querySelector<HTMLElement>(selector);
  const found = within ?? document.querySelector<HTMLElement>(`:not(tr *)${selector}`);
  if (found instanceof HTMLInputElement) found.focus();
  else found?.click();
  return found != null;
}

function firstInWindow(rows: readonly HTMLElement[]): number {
  return Math.max(0, rows.findIndex(isVisible));
}

function isVisible(row: HTMLElement): boolean {
  const { top, bottom } = row.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}

/** The arrow to the right opens the group that has the focus, the one to the left closes it. */
function turnGroup(key: string): boolean {
  if (key !== "ArrowRight" && key !== "ArrowLeft") return false;
  const toggle = focusedRow()?.closest("li")?.querySelector<HTMLElement>("[aria-expanded]");
  if (toggle == null || (toggle.ariaExpanded === "true") === (key === "ArrowRight")) return false;
  toggle.click();
  return true;
}
