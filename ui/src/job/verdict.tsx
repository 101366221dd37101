import { absolute } from "../text/times";
import { visibleLine } from "../text/visible";
import { When } from "../text/when";
import type { Decision } from "./queries";
import { lasting, memory } from "./words";

type MemoryRaised = Decision["memory"][number];

interface Props {
  readonly decisions: readonly Decision[];
  readonly title?: string;
  /** Whether the scheduler started the run, and so starts the next one. */
  readonly leased: boolean;
}

/** What was decided after a run, the latest first, with the arithmetic. */
export function Verdicts({ decisions, title = "Verdict", leased }: Props) {
  return [...decisions]
    .reverse()
    .map((decision) => <Verdict key={decision.eventId} decision={decision} title={title} leased={leased} />);
}

interface VerdictProps {
  readonly decision: Decision;
  readonly title: string;
  readonly leased: boolean;
}

function Verdict({ decision, title, leased }: VerdictProps) {
  const { avoidNodes, avoidNodesLeftOut, delaySeconds } = decision;
  return (
    <div className="verdict" data-action={decision.action}>
      <strong>{title}: </strong>
      {visibleLine(decision.sentence)}
      <ul>
        {decision.action === "retry" && !leased && (
          <li>The scheduler starts only jobs that were submitted to it: somebody else has to start this one again</li>
        )}
        {delaySeconds !== null && leased && (
          <li>
            Waits {lasting(delaySeconds)} before the next attempt
            {decision.notBefore === null ? "" : `, until ${absolute(decision.notBefore)}`}
          </li>
        )}
        {avoidNodes.length > 0 && (
          <li>
            {decision.avoidPreferred ? "Rather not" : "Not"} on {visibleLine(avoidNodes.join(", "))}
            {avoidNodesLeftOut > 0 && ` and ${avoidNodesLeftOut} more`}
          </li>
        )}
        {decision.memory.map((raised) => (
          <li key={raised.container}>{raisedText(raised)}</li>
        ))}
        {decision.memoryLeftOut > 0 && <li>Memory of {decision.memoryLeftOut} more containers</li>}
      </ul>
      <span className="verdict-by">
        {by(decision)} Decided <When at={decision.decidedAt} />.
      </span>
    </div>
  );
}

/** Which policy and rule decided, unless the sentence says it. */
function by(decision: Decision): string {
  if (decision.policy === "" || decision.sentence.includes(decision.policy)) return "";
  const rule = decision.rule === "" ? "" : `, rule ${decision.ruleNumber ?? ""} ${decision.rule}`.replace("  ", " ");
  return visibleLine(`Policy ${decision.policy}${rule}.`);
}

function raisedText(raised: MemoryRaised): string {
  const { requestBefore, requestAfter, limitBefore, limitAfter } = raised;
  const request = requestBefore === requestAfter ? "" : `request ${memory(requestBefore)} → ${memory(requestAfter)}`;
  const limit = limitBefore === limitAfter ? "" : `limit ${memory(limitBefore)} → ${memory(limitAfter)}`;
  const parts = [request, limit].filter((part) => part !== "");
  return visibleLine(`Memory of container ${raised.container}: ${parts.join(", ") || "unchanged"}`);
}
