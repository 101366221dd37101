import { visibleLine } from "../text/visible";
import { categoryOf, faultText, markedFault, observedText, type Run, reasonOf } from "./failure";

const DOUBT = "whose fault it is, only the program's own words say";

/** What failed and whose fault it was, in words; the colour only repeats it. */
export function FailureChip({ run }: { run: Run }) {
  const told = [`${categoryOf(run)}: ${reasonOf(run)}`, ...(run.corroborated === false ? [DOUBT] : [])].join("; ");
  return (
    <span className="chip" data-fault={faultText(run.origin)} title={visibleLine(told)}>
      <strong>{visibleLine(categoryOf(run))}</strong>
      <span className="chip-fault">fault: {markedFault(run)}</span>
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
