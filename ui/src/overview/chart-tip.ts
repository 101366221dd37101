import { counted, percent } from "../text/numbers";
import type { Step } from "./address";
import { FAULTS, type Span } from "./faults";
import { faultName, spanText } from "./words";

/** What is said of a bar while it is pointed at. It is made of elements: markup with styles would be refused. */
export function tipOf(span: Span | undefined, step: Step, zone: string): HTMLElement {
  if (span === undefined) return element("div", "tip");
  const { runs, failures, byFault } = span;
  return element(
    "div",
    "tip",
    element("strong", "", spanText(span, step, zone)),
    element("div", "", `${counted(failures)} of ${counted(runs)} runs failed (${percent(failures, runs)})`),
    ...FAULTS.toReversed().map((fault) => {
      const swatch = element("span", "swatch");
      swatch.dataset.fault = fault;
      const count = element("span", "tip-count", counted(byFault[fault]));
      return element("div", "tip-row", swatch, element("span", "", faultName(fault)), count);
    }),
    ...(failures > 0 ? [element("div", "tip-hint", "Click for the jobs")] : []),
  );
}

function element(tag: string, className: string, ...children: readonly (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
}
