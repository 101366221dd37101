import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { counted, percent } from "../text/numbers";
import type { Search } from "../url/search";
import { jobsBehind, ofFault, type Window } from "./behind";
import type { Ended } from "./faults";
import { JobsLink } from "./jobs-link";
import { jobsThat, type Outcome } from "./queries";

interface Props {
  readonly ended: Ended;
  readonly window: Window;
  readonly filters: Search;
}

/** The window in a few numbers. */
export function Figures({ ended: { runs, failures, byFault }, window, filters }: Props) {
  const ofOthers = byFault.infra + byFault.platform;
  return (
    <ul className="figures" aria-label="In short">
      <Figure name="Failed runs" number={counted(failures)} search={jobsBehind(window, filters)}>
        {percent(failures, runs)} of {counted(runs)} runs that ended
      </Figure>
      <Figure
        name="Infra and platform"
        number={percent(ofOthers, failures)}
        search={jobsBehind(window, filters, ofFault("infra", "platform"))}
      >
        {counted(ofOthers)} of {counted(failures)} failed runs
      </Figure>
      <Figure
        name="User"
        number={percent(byFault.user, failures)}
        search={jobsBehind(window, filters, ofFault("user"))}
      >
        {counted(byFault.user)} of {counted(failures)} failed runs
      </Figure>
      <OutcomeFigure name="Jobs that recovered" outcome="recovered" window={window} filters={filters}>
        <Waiting window={window} filters={filters} />
      </OutcomeFigure>
      <OutcomeFigure name="Jobs that still failed" outcome="still-failed" window={window} filters={filters} />
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

interface OutcomeProps {
  readonly name: string;
  readonly outcome: Outcome;
  readonly window: Window;
  readonly filters: Search;
  readonly children?: ReactNode;
}

/** How many jobs came to what after a run of them had failed. */
function OutcomeFigure({ name, outcome, window, filters, children }: OutcomeProps) {
  const all = useQuery(jobsThat("any-failure", window, filters)).data;
  const found = useQuery(jobsThat(outcome, window, filters));
  const number = found.data?.text ?? (found.isError ? "unknown" : "…");
  return (
    <Figure name={name} number={number} search={jobsBehind(window, filters, { state: [outcome] })}>
      {found.data == null || all == null ? (
        "of the jobs with a failed run"
      ) : (
        <>
          of {all.text} {all.number === 1 ? "job" : "jobs"} with a failed run{children}
        </>
      )}
    </Figure>
  );
}

/** Jobs of which it is not known yet. */
function Waiting({ window, filters }: Pick<Props, "window" | "filters">) {
  const waiting = useQuery(jobsThat("waiting", window, filters)).data;
  if (waiting == null || waiting.number === 0) return null;
  return (
    <>
      ;{" "}
      <JobsLink search={jobsBehind(window, filters, { state: ["waiting"] })}>
        {waiting.text} {waiting.number === 1 ? "waits" : "wait"}
      </JobsLink>{" "}
      for a retry
    </>
  );
}
