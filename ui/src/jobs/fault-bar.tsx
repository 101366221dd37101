import { faultText } from "./failure";
import { countsText, shares } from "./groups";

/** Whose fault the latest failures were: as text, and as parts of a bar. */
export function FaultBar({ origins, failed }: { origins: Readonly<Record<string, number>>; failed: number }) {
  if (failed === 0) return <span className="nothing">no failure</span>;
  return (
    <span>
      <span>
        <strong>{failed}</strong> with a failure: {countsText(origins)}
      </span>
      <span className="bar" aria-hidden>
        {shares(origins).map(([origin, percent]) => (
          <span key={origin} style={{ width: `${percent}%`, background: `var(--fault-${faultText(origin)})` }} />
        ))}
      </span>
    </span>
  );
}
