import type { Info } from "./queries";
import { between, wordOf } from "./words";

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

const RAN: Readonly<Record<string, string>> = {
  yes: "The user's code ran.",
  no: "The user's code did not run.",
};

/** Whether any container that was submitted ran, and how one knows which those are. */
export function userCodeText(code: Info["userCode"]): string {
  if (code === undefined) return "";
  const ran = RAN[wordOf(code.ran, "TRISTATE_")] ?? "Whether the user's code ran is not known.";
  return code.reason ? `${ran} Submitted or injected: ${code.reason}.` : ran;
}

/** Whether it is the one that failed, or failed too; empty if it did neither. */
export function failedOf(container: Container, culprit: string): string {
  if (container.name === culprit && culprit !== "") return "(this one failed)";
  return (endState(container)?.exitCode ?? 0) === 0 ? "" : "(failed too)";
}

/** How it ended, or what it did: `exit 137, OOMKilled, signal 9`. */
export function endOf(container: Container): string {
  const state = endState(container);
  if (state === undefined) return "not reported";
  return container.ended === "ENDED_STATE_LAST" ? `${stateText(state)}; then started again` : stateText(state);
}

/** How long it ran: `2 min 5 s`; empty if that is not known. */
export function ranOf(container: Container): string {
  const state = endState(container);
  return between(state?.startedAt, state?.finishedAt);
}

/** What was said of it or by it, unless that is the termination message, which stands below the table. */
export function saidOf(container: Container, terminationMessage: string): string {
  const said = endState(container)?.message ?? "";
  return said.trim() === terminationMessage.trim() ? "" : said;
}

/** The state that ended it: its last one, if it was started again since. */
function endState(container: Container): State | undefined {
  return container.ended === "ENDED_STATE_LAST" ? container.lastState : container.state;
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

/** The container that failed: the one that ended the run, else the one about which the rule that decided is. */
export function culpritOf(info: Pick<Info, "culpritContainer" | "classification">): string {
  return info.culpritContainer || info.classification?.matches?.[0]?.container || "";
}
