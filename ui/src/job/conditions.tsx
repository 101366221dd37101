import { absolute } from "../text/times";
import { visibleLine } from "../text/visible";
import { When } from "../text/when";
import { isWrongWithNode, isWrongWithPod } from "./condition";
import { Fact, Facts } from "./facts";
import { Lines } from "./lines";
import type { Info } from "./queries";
import { Rows } from "./rows";
import { capital } from "./words";

type Condition = NonNullable<NonNullable<Info["pod"]>["conditions"]>[number];

/** The state of the node and of the pod when it failed. */
export function Conditions({ info }: { info: Info }) {
  const { node, pod } = info;
  return (
    <>
      <Facts>
        <Fact name="Pod's phase" value={pod?.phase ?? ""} />
        <Fact name="Its reason" value={pod?.reason ?? ""} />
        <Fact name="Its message" value={pod?.message ?? ""} />
        <Fact name="Made by" value={pod?.controller ?? ""} />
        <Fact name="Started" value={timeOf(pod?.startTime)} />
        <Fact name="Deletion asked for" value={timeOf(pod?.deletionTime)} />
        <Fact name="Restart policy" value={pod?.restartPolicy ?? ""} />
        <Fact name="Quality of service" value={pod?.qosClass ?? ""} />
        <Fact name="Node cordoned" value={node?.unschedulable ? "yes" : ""} />
        <Fact name="Node's taints" value={(node?.taints ?? []).map(taintText).join(", ")} />
      </Facts>
      <Judged
        whose="node"
        conditions={node?.conditions ?? []}
        isWrong={isWrongWithNode}
        empty="Nothing is known of the node."
      />
      <Judged
        whose="pod"
        conditions={pod?.conditions ?? []}
        isWrong={isWrongWithPod}
        empty="The pod had no conditions."
      />
      <Lines title="Log of the node" lines={node?.logLines ?? []} />
    </>
  );
}

interface ConditionsProps {
  readonly whose: "node" | "pod";
  readonly conditions: readonly Condition[];
  /** Which of them are in sight. */
  readonly isWrong: (condition: Condition) => boolean;
  readonly empty: string;
}

/** Conditions that say that something is wrong; the others on demand. */
function Judged({ whose, conditions, isWrong, empty }: ConditionsProps) {
  const usual = conditions.filter((condition) => !isWrong(condition));
  const wrong = conditions.filter(isWrong);
  if (conditions.length === 0) return <p className="said">{empty}</p>;
  return (
    <>
      {wrong.length === 0 && <p className="said">No condition of the {whose} says that something is wrong.</p>}
      <ConditionRows whose={whose} conditions={wrong} />
      {usual.length > 0 && (
        <details>
          <summary>
            Other {whose} conditions ({usual.length})
          </summary>
          <ConditionRows whose={whose} conditions={usual} />
        </details>
      )}
    </>
  );
}

function ConditionRows({ whose, conditions }: Pick<ConditionsProps, "whose" | "conditions">) {
  if (conditions.length === 0) return null;
  return (
    <Rows
      what={`${whose} conditions`}
      titles={[`${capital(whose)} condition`, "Status", "Reason", "Message", "Since"]}
      empty=""
      rows={conditions.map((condition) => [
        visibleLine(condition.type ?? ""),
        visibleLine(condition.status ?? ""),
        visibleLine(condition.reason ?? ""),
        visibleLine(condition.message ?? ""),
        <When key="since" at={condition.lastTransitionTime} />,
      ])}
    />
  );
}

function timeOf(at: string | undefined): string {
  return at === undefined ? "" : absolute(at);
}

function taintText(taint: { key?: string; value?: string; effect?: string }): string {
  return `${taint.key ?? ""}${taint.value ? `=${taint.value}` : ""}:${taint.effect ?? ""}`;
}
