import type { ReactNode } from "react";

import { visibleLine } from "../text/visible";
import { When } from "../text/when";
import { FailureChip, StateChip } from "./chips";
import { attemptsOf, categoryOf, endingOf, type Job, latestFailure } from "./failure";

export interface Column {
  readonly id: string;
  readonly title: string;
  /** The column of the API by which the list can be sorted. */
  readonly sort?: string;
  readonly text: (job: Job) => string;
  /** If it is shown in another way than as its text. */
  readonly show?: (job: Job) => ReactNode;
}

/** Every column that the table can have, in the order in which they are shown. */
export const COLUMNS: readonly Column[] = [
  { id: "name", title: "Job", text: (job) => job.name || job.jobId },
  { id: "state", title: "State", text: (job) => job.observed, show: (job) => <StateChip observed={job.observed} /> },
  { id: "failure", title: "Latest failure", text: failureText, show: (job) => <Failure job={job} /> },
  { id: "attempts", title: "Attempts", text: attemptsOf },
  { id: "queue", title: "Queue", sort: "queue", text: (job) => job.queue },
  { id: "owner", title: "Owner", sort: "owner", text: (job) => job.owner },
  { id: "namespace", title: "Namespace", text: (job) => job.namespace },
  { id: "jobSet", title: "Job set", sort: "jobSet", text: (job) => job.jobSet },
  { id: "cluster", title: "Cluster", text: (job) => newest(job)?.cluster ?? "" },
  { id: "node", title: "Node", text: (job) => newest(job)?.node ?? "" },
  { id: "verdict", title: "Verdict", text: (job) => latestFailure(job)?.action ?? "" },
  { id: "rule", title: "Policy, rule", text: ruleText },
  { id: "record", title: "State of the record", text: (job) => job.state ?? "" },
  {
    id: "failedAt",
    title: "Failed",
    text: (job) => latestFailure(job)?.failedAt ?? "",
    show: (job) => <When at={latestFailure(job)?.failedAt} />,
  },
  {
    id: "firstAt",
    title: "First heard of",
    sort: "firstAt",
    text: (job) => job.firstAt,
    show: (job) => <When at={job.firstAt} />,
  },
];

export const USUAL: readonly string[] = [
  "name",
  "state",
  "failure",
  "attempts",
  "queue",
  "owner",
  "namespace",
  "failedAt",
  "firstAt",
];

/** The columns that an address names, or the usual ones if it names none that exists. */
export function columnsOf(text: string | undefined): readonly Column[] {
  const named = new Set(text?.split(","));
  const found = COLUMNS.filter((column) => named.has(column.id));
  return found.length > 0 ? found : COLUMNS.filter((column) => USUAL.includes(column.id));
}

function newest(job: Job) {
  return latestFailure(job) ?? job.runs[0];
}

function failureText(job: Job): string {
  const run = latestFailure(job);
  if (run === undefined) return "";
  return [categoryOf(run), endingOf(run), run.keyLine].filter((part) => part !== "").join(" · ");
}

function ruleText(job: Job): string {
  const run = latestFailure(job);
  return [run?.policy, run?.rule].filter((part) => part).join(", ");
}

/** Why it failed, at a glance: the category, whose fault, which container and how, and the line that decided. */
function Failure({ job }: { job: Job }) {
  const run = latestFailure(job);
  if (run === undefined) return <span className="nothing">–</span>;
  return (
    <div className="failure">
      <div>
        <FailureChip run={run} /> <span>{visibleLine(endingOf(run))}</span>
      </div>
      {run.keyLine !== "" && (
        <div className="key-line" title={visibleLine(run.keyLine)}>
          {visibleLine(run.keyLine)}
        </div>
      )}
    </div>
  );
}
