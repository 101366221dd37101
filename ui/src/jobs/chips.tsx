import { visibleLine } from "../text/visible";
import { categoryOf, faultText, observedText, type Run, reasonOf } from "./failure";

/** What failed and whose fault it was, in words; the colour only repeats it. */
export function FailureChip({ run }: { run: Run }) {
  const fault = faultText(run.origin);
  return (
    <span className="chip" data-fault={fault} title={visibleLine(`${categoryOf(run)}: ${reasonOf(run)}`)}>
      <strong>{visibleLine(categoryOf(run))}</strong>
      <span className="chip-fault">fault: {fault}</span>
    </span>
  );
}

/** What was observed of a job. */
export function StateChip({ observed }: { observed: string }) {
  return (
    <span className="chip" data-state={observed}>
      {observedText(observed)}
    </span>
  );
}
