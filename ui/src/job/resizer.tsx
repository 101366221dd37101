import type { KeyboardEvent, PointerEvent } from "react";

import { WIDTHS, widthAfter, widthWithin } from "./width";

interface Props {
  readonly width: number;
  readonly onWidth: (width: number) => void;
}

/** The edge of the panel: it is dragged, or moved by the arrow keys. */
export function Resizer({ width, onWidth }: Props) {
  const onKeyDown = (event: KeyboardEvent) => {
    const next = widthAfter(event.key, width);
    if (next === undefined) return;
    event.preventDefault();
    onWidth(next);
  };
  const onPointerDown = (event: PointerEvent) => event.currentTarget.setPointerCapture(event.pointerId);
  const onPointerMove = (event: PointerEvent) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) onWidth(widthWithin(window.innerWidth - event.clientX));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: hr is no separator that people move
    <div
      className="resizer"
      role="separator"
      aria-label="Width of the panel"
      aria-orientation="vertical"
      aria-valuemin={WIDTHS.least}
      aria-valuemax={WIDTHS.most}
      aria-valuenow={width}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
    />
  );
}
