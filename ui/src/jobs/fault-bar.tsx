import { counted, percent } from "../text/numbers";
import { faultText } from "./failure";
import { countsText, shares } from "./groups";

interface Props {
  readonly origins: Readonly<Record<string, number>>;
  readonly failed: number;
  readonly count: number;
}

/** Whose fault the latest failures were: as text, and as parts of a bar, which is as long as all jobs. */
export function FaultBar({ origins, failed, count }: Props) {
  if (failed === 0) return <span className="nothing">no failure</span>;
  return (
    <span>
      <span>
        <strong>{counted(failed)}</strong> ({percent(failed, count)}): {countsText(origins)}
      </span>
      <span className="bar" aria-hidden>
        {shares(origins).map(([origin, share]) => (
          <span
            key={origin}
            style={{ width: `${(share * failed) / count}%`, background: `var(--bar-${faultText(origin)})` }}
          />
        ))}
      </span>
    </span>
  );
}
