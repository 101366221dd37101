import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import type { components } from "../api/schema";
import { Told } from "../job/told";
import { FailureChip, StateChip } from "../jobs/chips";
import { latestFailure } from "../jobs/failure";
import { visibleLine } from "../text/visible";
import { When } from "../text/when";
import type { View } from "./address";
import type { Window } from "./behind";
import { Card } from "./card";
import { More } from "./more";
import { FEW, keepRetrying } from "./queries";

/** The jobs of which most runs failed. */
export function KeepRetrying({ view, windowOf }: { view: View; windowOf: (window: Window) => string }) {
  const [limit, setLimit] = useState(FEW);
  const query = useQuery(keepRetrying(view, limit));
  return (
    <Card
      title="What keeps retrying"
      isBusy={query.isPlaceholderData}
      base={query.data && `Jobs of which two runs or more failed from ${windowOf(query.data)}; seven days at most.`}
    >
      <Told query={query} what="jobs that keep retrying">
        {({ items }) =>
          items.length === 0 ? (
            <p className="nothing">No job failed twice in this window.</p>
          ) : (
            <>
              <ol className="retrying">
                {items.map((item) => (
                  <Retrying key={item.job.jobId} item={item} />
                ))}
              </ol>
              <More leftOut={items.length < limit ? 0 : undefined} limit={limit} what="jobs" onLimit={setLimit} />
            </>
          )
        }
      </Told>
    </Card>
  );
}

function Retrying({ item: { job, failures } }: { item: components["schemas"]["RetryingJob"] }) {
  const run = latestFailure(job);
  return (
    <li>
      <div className="bars-head">
        <span>
          <Link className="behind" to="/jobs/$id" params={{ id: job.jobId }} search={{}}>
            {visibleLine(job.name || job.jobId)}
          </Link>{" "}
          {job.name !== "" && <span className="id">{visibleLine(job.jobId)}</span>}
        </span>
        <span>
          <strong>{failures}</strong> failed runs
        </span>
      </div>
      <div className="retrying-base">
        <StateChip observed={job.observed} />
        {run !== undefined && <FailureChip run={run} />}
        <span>
          queue {visibleLine(job.queue)}, last failed <When at={run?.failedAt} />
        </span>
      </div>
    </li>
  );
}
