import { percent } from "../text/numbers";
import { type ByFault, FAULTS } from "./faults";
import { faultName } from "./words";

interface Props {
  readonly byFault: ByFault;
  /** How many the whole width stands for; without it, as many as there are. */
  readonly of?: number;
}

/** Whose fault failures were, as parts of a bar. What it shows is also said in words beside it. */
export function FaultShare({ byFault, of }: Props) {
  const whole = of ?? sum(byFault);
  return (
    <span className="share" aria-hidden>
      {FAULTS.filter((fault) => byFault[fault] > 0).map((fault) => (
        <span key={fault} data-fault={fault} style={{ width: `${(100 * byFault[fault]) / whole}%` }} />
      ))}
    </span>
  );
}

/** The same in words, the largest first: `user 62 %, infra 38 %`. */
export function faultsText(byFault: ByFault): string {
  const whole = sum(byFault);
  return FAULTS.filter((fault) => byFault[fault] > 0)
    .sort((first, second) => byFault[second] - byFault[first])
    .map((fault) => `${faultName(fault).toLowerCase()} ${percent(byFault[fault], whole)}`)
    .join(", ");
}

function sum(byFault: ByFault): number {
  return FAULTS.reduce((whole, fault) => whole + byFault[fault], 0);
}
