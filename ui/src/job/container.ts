import type { Info } from "./queries";
import { wordOf } from "./words";

export type Container = NonNullable<NonNullable<Info["pod"]>["containers"]>[number];
type State = NonNullable<Container["state"]>;

/** The part it plays in its pod. */
export function partOf(container: Container): string {
  return wordOf(container.kind, "CONTAINER_KIND_");
}

const WHOSE: Readonly<Record<string, string>> = { yes: "injected", no: "submitted" };

/** Whether it was submitted, or added after that. */
export function whoseOf(container: Container): string {
  return WHOSE[wordOf(container.injected, "TRISTATE_")] ?? "not known";
}

/** How it ended, or what it did: `exit 137, OOMKilled, signal 9`. */
export function endOf(container: Container): string {
  const isLast = container.ended === "ENDED_STATE_LAST";
  const state = isLast ? container.lastState : container.state;
  if (state === undefined) return "not reported";
  return isLast ? `${stateText(state)}; then started again` : stateText(state);
}

function stateText(state: State): string {
  const kind = wordOf(state.kind, "STATE_KIND_");
  const parts = [
    state.exitCode === undefined ? kind : `exit ${state.exitCode}`,
    state.reason ?? "",
    state.signal === undefined ? "" : `signal ${state.signal}`,
  ];
  return parts.filter((part) => part !== "").join(", ") || "not reported";
}
