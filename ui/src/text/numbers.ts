const WHOLE = new Intl.NumberFormat("en-GB");

/** A number of things: `12,345`. */
export function counted(count: number): string {
  return WHOLE.format(count);
}

/** A part of a whole in percent: `24 %`. What is there is never shown as nothing, and what is not all never as all. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return "–";
  const share = (100 * part) / whole;
  return `${share > 99 && share < 100 ? "> 99" : digits(share)}\u00a0%`;
}

function digits(share: number): string {
  if (share > 0 && share < 0.1) return "< 0.1";
  return share < 1 ? `${Number(share.toFixed(1))}` : share.toFixed(0);
}
