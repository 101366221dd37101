import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { JobsLink } from "../jobs/jobs-link";
import { counted, percent } from "../text/numbers";
import type { Search } from "../url/search";
import type { View } from "./address";
import { jobsBehind, ofFault, type Window } from "./behind";
import type { Ended, Fault } from "./faults";
import { type Outcomes, outcomesOf } from "./queries";
import { dated } from "./words";

interface Props {
  readonly ended: Ended;
  readonly window: Window;
  readonly view: View;
}

/** The window in a few numbers. */
export function Figures({ ended: { runs, failures, byFault }, window, view }: Props) {
  const ofOthers = byFault.infra + byFault.platform;
  const behind = (...faults: readonly Fault[]) =>
    jobsBehind(window, view.filters, faults.length === 0 ? {} : ofFault(...faults));
  return (
    <ul className="figures" aria-label="In short">
      <Figure name="Failed runs" number={counted(failures)} search={behind()}>
        {percent(failures, runs)} of {counted(runs)} runs that ended
      </Figure>
      <Figure name="Infra and platform" number={percent(ofOthers, failures)} search={behind("infra", "platform")}>
        {counted(ofOthers)} of {counted(failures)} failed runs
      </Figure>
      <Figure name="User" number={percent(byFault.user, failures)} search={behind("user")}>
        {counted(byFault.user)} of {counted(failures)} failed runs
      </Figure>
      <OutcomeFigures view={view} window={window} />
    </ul>
  );
}

interface FigureProps {
  readonly name: string;
  readonly number: string;
  readonly search: Search;
  readonly children: ReactNode;
}

function Figure({ name, number, search, children }: FigureProps) {
  return (
    <li className="figure">
      <span className="figure-name">{name}</span>
      <JobsLink className="figure-number" search={search} label={`${name}: ${number}. Show the jobs.`}>
        {number}
      </JobsLink>
      <span className="figure-base">{children}</span>
    </li>
  );
}

/** How the jobs went on of which a run failed. */
function OutcomeFigures({ view, window }: { view: View; window: Window }) {
  const query = useQuery(outcomesOf(view));
  const { data } = query;
  // What is counted begins later if too many runs failed, and so do the jobs behind it.
  const behindWindow = data === undefined ? window : { since: data.since, until: data.until };
  const behind = (state: string) => jobsBehind(behindWindow, view.filters, { state: [state] });
  const ofJobs = (count: number | undefined) =>
    count === undefined || data === undefined ? (query.isError ? "unknown" : "…") : percent(count, data.jobs);
  return (
    <>
      <Figure name="Jobs that recovered" number={ofJobs(data?.recovered)} search={behind("recovered")}>
        {data && <OfJobs count={data.recovered} outcomes={data} zone={view.zone} />}
        {data !== undefined && data.waiting > 0 && (
          <>
            ; <JobsLink search={behind("waiting")}>{counted(data.waiting)} more</JobsLink> will run again
          </>
        )}
      </Figure>
      <Figure name="Jobs that still failed" number={ofJobs(data?.stillFailed)} search={behind("still-failed")}>
        {data && <OfJobs count={data.stillFailed} outcomes={data} zone={view.zone} />}
      </Figure>
    </>
  );
}

/** What is counted: jobs, and not runs. */
function OfJobs({ count, outcomes, zone }: { count: number; outcomes: Outcomes; zone: string }) {
  const jobs = `${counted(count)} of ${counted(outcomes.jobs)} jobs with a failed run`;
  return outcomes.more ? `${jobs} since ${dated(outcomes.since, zone)}` : jobs;
}
