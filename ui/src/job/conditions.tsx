import { visibleLine } from "../text/visible";
import { When } from "../text/when";
import { isWrongWithNode, isWrongWithPod } from "./condition";
import { Fact, Facts } from "./facts";
import { Lines } from "./lines";
import type { Info } from "./queries";
import { Rows } from "./rows";

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
        <Fact name="Quality of service" value={pod?.qosClass ?? ""} />
        <Fact name="Node cordoned" value={node?.unschedulable ? "yes" : ""} />
        <Fact name="Node's taints" value={(node?.taints ?? []).map(taintText).join(", ")} />
      </Facts>
      <ConditionRows
        what="node conditions"
        conditions={node?.conditions ?? []}
        isWrong={isWrongWithNode}
        empty="Nothing is known of the node."
      />
      <ConditionRows
        what="pod conditions"
        conditions={pod?.conditions ?? []}
        isWrong={isWrongWithPod}
        empty="The pod had no conditions."
      />
      <Lines title="Log of the node" lines={node?.logLines ?? []} />
    </>
  );
}

interface ConditionsProps {
  readonly what: string;
  readonly conditions: readonly Condition[];
  /** Which of them stand out. */
  readonly isWrong: (condition: Condition) => boolean;
  readonly empty: string;
}

function ConditionRows({ what, conditions, isWrong, empty }: ConditionsProps) {
  return (
    <Rows
      what={what}
      titles={[what.startsWith("node") ? "Node condition" : "Pod condition", "Status", "Reason", "Message", "Since"]}
      empty={empty}
      rows={conditions.map((condition) => [
        <Strong key="type" text={condition.type ?? ""} isStrong={isWrong(condition)} />,
        <Strong key="status" text={condition.status ?? ""} isStrong={isWrong(condition)} />,
        visibleLine(condition.reason ?? ""),
        visibleLine(condition.message ?? ""),
        <When key="since" at={condition.lastTransitionTime} />,
      ])}
    />
  );
}

function Strong({ text, isStrong }: { text: string; isStrong: boolean }) {
  return isStrong ? <strong>{visibleLine(text)}</strong> : visibleLine(text);
}

function taintText(taint: { key?: string; value?: string; effect?: string }): string {
  return `${taint.key ?? ""}${taint.value ? `=${taint.value}` : ""}:${taint.effect ?? ""}`;
}
