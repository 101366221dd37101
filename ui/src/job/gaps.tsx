import { Lines } from "./lines";
import type { Info } from "./queries";

/** Evidence that could not be had and why, and what of the evidence was changed before it was kept. */
export function Gaps({ info }: { info: Info }) {
  const missing = (info.missingEvidence ?? []).map((gap) => `${gap.what}: ${gap.reason}`);
  const { truncatedFields = [], sanitizedFields = [], redactedFields = [] } = info;
  const isWhole = [missing, truncatedFields, sanitizedFields, redactedFields].every((list) => list.length === 0);
  if (isWhole) return <p className="said">All evidence that was asked for came, and nothing was cut or redacted.</p>;
  return (
    <>
      <Lines title="Could not be had" lines={missing} />
      <Lines title="Cut to their limit" lines={truncatedFields} />
      <Lines title="Redacted, as the agent's settings say" lines={redactedFields} />
      <Lines title="Rid of characters that no database stores" lines={sanitizedFields} />
    </>
  );
}
