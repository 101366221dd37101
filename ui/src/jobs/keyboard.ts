import { useEffect } from "react";

/** What a key does on this page, unless somebody is typing. */
export function stepOf(key: string, at: number, rows: number): number | undefined {
  if (rows === 0) return undefined;
  if (key === "j") return Math.min(at + 1, rows - 1);
  return key === "k" ? Math.max(at - 1, 0) : undefined;
}

/** j and k go to the next and the previous row, where Enter opens it; / goes to the search. */
export function useKeyboard(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === "/" ? focusSearch() : focusRow(event.key)) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest("input, textarea, select, [role=dialog], [role=menu]") !== null
  );
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLElement>("[data-finds]");
  field?.focus();
  return field !== null;
}

function focusRow(key: string): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const row = document.activeElement?.closest("tr, li")?.querySelector<HTMLElement>("[data-row]");
  const next = stepOf(key, row == null ? -1 : rows.indexOf(row), rows.length);
  if (next === undefined) return false;
  rows[next]?.focus();
  return true;
}
