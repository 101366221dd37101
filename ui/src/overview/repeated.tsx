import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useContext, useState } from "react";

import type { components } from "../api/schema";
import { Told } from "../job/told";
import { FailureChip, StateChip } from "../jobs/chips";
import { latestFailure } from "../jobs/failure";
import { visibleLine } from "../text/visible";
import { Now, When } from "../text/when";
import type { View } from "./address";
import type { Window } from "./behind";
import { Card } from "./card";
import { courseOf } from "./course";
import { More } from "./more";
import { FEW, keepRetrying } from "./queries";

type Item = components["schemas"]["RetryingJob"];

/** The jobs of which most runs failed: those that go on, then those that have ended. */
export function Repeated({ view, windowOf }: { view: View; windowOf: (window: Window) => string }) {
  const [limit, setLimit] = useState(FEW);
  const query = useQuery(keepRetrying(view, limit));
  return (
    <Card
      title="What failed repeatedly"
      isBusy={query.isPlaceholderData}
      base={query.data && `Jobs of which two runs or more failed from ${windowOf(query.data)}; seven days at most.`}
    >
      <Told query={query} what="jobs that failed repeatedly">
        {({ items }) =>
          items.length === 0 ? (
            <p className="nothing">No job failed twice in this window.</p>
          ) : (
            <>
              <Jobs title="These go on" none="None of them goes on." items={items.filter(({ goesOn }) => goesOn)} />
              <Jobs title="These have ended" none="" items={items.filter(({ goesOn }) => !goesOn)} />
              <More leftOut={items.length < limit ? 0 : undefined} limit={limit} what="jobs" onLimit={setLimit} />
            </>
          )
        }
      </Told>
    </Card>
  );
}

function Jobs({ title, none, items }: { title: string; none: string; items: readonly Item[] }) {
  if (items.length === 0) return none === "" ? null : <p className="nothing">{none}</p>;
  return (
    <>
      <h3>{title}</h3>
      <ol className="retrying" aria-label={title}>
        {items.map((item) => (
          <Retrying key={item.job.jobId} item={item} />
        ))}
      </ol>
    </>
  );
}

function Retrying({ item }: { item: Item }) {
  const { job, failures } = item;
  const course = courseOf(item, useContext(Now));
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
          {course.words}
          {course.at !== undefined && (
            <>
              {" "}
              <When at={course.at} />
            </>
          )}
        </span>
        <span>
          queue {visibleLine(job.queue)}, last failed <When at={run?.failedAt} />
        </span>
      </div>
    </li>
  );
}
