import { Title } from "@mantine/core";

import { faultText } from "../jobs/failure";
import { visibleLine } from "../text/visible";
import { When } from "../text/when";
import type { Correction } from "./queries";
import { personOf } from "./who";

/** Who said what a failure really was, the latest first. */
export function CorrectionList({ corrections }: { corrections: readonly Correction[] }) {
  if (corrections.length === 0) return null;
  return (
    <section aria-label="Corrections">
      <Title order={2} size="h4">
        What people say it was
      </Title>
      <ul className="list">
        {corrections.map((correction) => (
          <li key={correction.correctionId}>
            <strong>{leafOf(correction.category, correction.subcategory)}</strong>, fault:{" "}
            {faultText(correction.origin)}, by {visibleLine(personOf(correction.by))}, <When at={correction.at} />; the
            rules had said {leafOf(correction.saidCategory, correction.saidSubcategory)}, fault:{" "}
            {faultText(correction.saidOrigin)}.
            {correction.retryable !== null && ` An unchanged job ${correction.retryable ? "may" : "cannot"} succeed.`}
            {correction.reason !== "" && ` They say: ${visibleLine(correction.reason)}`}
          </li>
        ))}
      </ul>
    </section>
  );
}

function leafOf(category: string, subcategory: string): string {
  return visibleLine(subcategory === "" ? category : `${category}/${subcategory}`);
}
