import type { ReactNode } from "react";

import { calledBy } from "../job/words";
import { visibleLine } from "../text/visible";
import { When } from "../text/when";
import { firstOf, type Search, withValues } from "../url/search";
import { FailureChip, StateChip } from "./chips";
import {
  attemptsOf,
  categoryOf,
  endingOf,
  type Job,
  latestFailure,
  markedFault,
  type Run,
  standingOf,
} from "./failure";
import { type Placed, printLayout, readLayout } from "./layout";

export interface Column {
  readonly id: string;
  readonly title: string;
  /** In pixels. */
  readonly width: number;
  /** The column of the API by which the list can be sorted. */
  readonly sort?: string;
  readonly text: (job: Job) => string;
  /** If it is shown in another way than as its text. */
  readonly show?: (job: Job) => ReactNode;
}

/** Every column that the table can have, in the order in which they are offered. */
export const COLUMNS: readonly Column[] = [
  { id: "name", title: "Job", width: 210, text: (job) => calledBy(job) || job.jobId },
  {
    id: "state",
    title: "State",
    width: 108,
    text: standingOf,
    show: (job) => (job.observed === "" ? standingOf(job) : <StateChip observed={job.observed} />),
  },
  { id: "failure", title: "Latest failure", width: 274, text: failureText, show: (job) => <Failure job={job} /> },
  { id: "attempts", title: "Attempts", width: 92, text: attemptsOf },
  { id: "queue", title: "Queue", width: 92, sort: "queue", text: (job) => job.queue },
  { id: "owner", title: "Owner", width: 96, sort: "owner", text: (job) => job.owner },
  { id: "namespace", title: "Namespace", width: 108, text: (job) => job.namespace },
  { id: "jobSet", title: "Job set", width: 120, sort: "jobSet", text: (job) => job.jobSet },
  { id: "gang", title: "Gang", width: 120, text: (job) => job.gangId },
  { id: "cluster", title: "Cluster", width: 110, text: (job) => newest(job)?.cluster ?? "" },
  { id: "node", title: "Node", width: 124, text: (job) => newest(job)?.node ?? "" },
  { id: "category", title: "Category", width: 180, text: ofFailure(categoryOf) },
  { id: "fault", title: "Fault", width: 84, text: ofFailure(markedFault) },
  { id: "container", title: "Container", width: 110, text: ofFailure((run) => run.container) },
  { id: "exitCode", title: "Exit code", width: 84, text: ofFailure((run) => String(run.exitCode ?? "")) },
  { id: "reason", title: "Reason", width: 120, text: ofFailure((run) => run.reason) },
  { id: "keyLine", title: "Key line", width: 300, text: ofFailure((run) => run.keyLine) },
  { id: "verdict", title: "Verdict", width: 84, text: ofFailure((run) => run.action) },
  { id: "rule", title: "Policy, rule", width: 160, text: ofFailure(ruleText) },
  { id: "record", title: "Scheduler's state", width: 116, text: (job) => job.state ?? "" },
  {
    id: "failedAt",
    title: "Failed",
    width: 88,
    text: ofFailure((run) => run.failedAt ?? ""),
    show: (job) => <When at={latestFailure(job)?.failedAt} />,
  },
  {
    id: "firstAt",
    title: "First heard of",
    width: 104,
    sort: "firstAt",
    text: (job) => job.firstAt,
    show: (job) => <When at={job.firstAt} />,
  },
  {
    id: "endedAt",
    title: "Ended",
    width: 92,
    text: (job) => job.endedAt ?? "",
    show: (job) => <When at={job.endedAt} />,
  },
];

export const COLUMN_IDS: readonly string[] = COLUMNS.map((column) => column.id);

/** What is asked first of a failure: what, where, whose, when. A laptop has room for them beside a scrollbar. */
export const USUAL: readonly Placed[] = [
  "name",
  "state",
  "failure",
  "node",
  "attempts",
  "queue",
  "owner",
  "failedAt",
  "firstAt",
].map((id) => ({ id }));

/** The columns that an address has, or the usual ones if it names none that exists. */
export function layoutOf(search: Search): readonly Placed[] {
  const layout = readLayout(firstOf(search, "columns") ?? "", COLUMN_IDS);
  return layout.length > 0 ? layout : USUAL;
}

export function withLayout(search: Search, layout: readonly Placed[]): Search {
  const text = printLayout(layout);
  return withValues(search, "columns", text === printLayout(USUAL) ? [] : [text]);
}

/** The columns of a layout, as wide as they are there. */
export function columnsOf(layout: readonly Placed[]): readonly Column[] {
  return layout.flatMap(({ id, width }) => {
    const column = COLUMNS.find((column) => column.id === id);
    if (column === undefined) return [];
    return [width === undefined ? column : { ...column, width }];
  });
}

/** The column with the button that copies. */
export const COPY_WIDTH = 44;

/** How much room columns need at least. */
export function widthOf(columns: readonly Column[]): number {
  return columns.reduce((sum, column) => sum + column.width, COPY_WIDTH);
}

function newest(job: Job) {
  return latestFailure(job) ?? job.runs[0];
}

function ofFailure(text: (run: Run) => string): (job: Job) => string {
  return (job) => {
    const run = latestFailure(job);
    return run === undefined ? "" : text(run);
  };
}

function failureText(job: Job): string {
  const run = latestFailure(job);
  if (run === undefined) return "";
  return [categoryOf(run), endingOf(run), run.keyLine].filter((part) => part !== "").join(" · ");
}

function ruleText(run: Run): string {
  return [run.policy, run.rule].filter((part) => part).join(", ");
}

/** Why it failed, at a glance: the category, whose fault, which container and how, and the line that decided. */
function Failure({ job }: { job: Job }) {
  const run = latestFailure(job);
  if (run === undefined) return <span className="nothing">–</span>;
  return (
    <div className="failure">
      <div>
        <FailureChip run={run} />{" "}
        <span className="ending" title={visibleLine(endingOf(run))}>
          {visibleLine(endingOf(run))}
        </span>
      </div>
      {run.keyLine !== "" && (
        <div className="key-line" title={visibleLine(run.keyLine)}>
          {visibleLine(run.keyLine)}
        </div>
      )}
    </div>
  );
}
