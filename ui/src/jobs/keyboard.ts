import { useEffect } from "react";

/** The keys of this page, and what each does. */
export const KEYS = [
  ["↓ or j", "the next row"],
  ["↑ or k", "the row before"],
  ["Enter", "open the row"],
  ["→ and ←", "open and close a group"],
  ["c", "copy from the row"],
  ["j and k", "in the panel of a job, the job of the next row and of the row before"],
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
      const dialog = dialogOf(event.target);
      const isDone = dialog === null ? focusRow(event.key) || turnGroup(event.key) : false;
      if (isDone || press(event.key, dialog)) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** Whether keys mean something of their own where they are pressed. */
function isTaken(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest("input, textarea, select, [role=menu], [role=listbox], [role=separator]") !== null
  );
}

/** Where a dialog is open, keys press only what is in it. */
function dialogOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof HTMLElement ? target.closest<HTMLElement>("[role=dialog]") : null;
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

/** Presses the button that has this key: that of the dialog, or of the row, if that has the focus. */
function press(key: string, dialog: HTMLElement | null): boolean {
  if (key.length !== 1) return false;
  const selector = `[aria-keyshortcuts="${CSS.escape(key)}"]`;
  const around = dialog ?? focusedRow()?.closest("tr");
  const within = around?.querySelector<HTMLElement>(selector);
  const found = within ?? (dialog === null ? document.querySelector<HTMLElement>(`:not(tr *)${selector}`) : null);
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
