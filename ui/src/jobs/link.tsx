import { calledBy } from "../job/words";
import { visibleLine } from "../text/visible";
import { printSearch, type Search, withValues } from "../url/search";
import type { Job } from "./failure";

/** The view without what is opened in it: all links of a list begin with it. */
export function viewOf(search: Search): string {
  return printSearch(withValues(withValues(search, "open", []), "run", []));
}

/** The address of a view with a job opened in it. */
export function addressOf(view: string, jobId: string): string {
  return `/jobs${view}${view === "" ? "?" : "&"}${new URLSearchParams({ open: jobId })}`;
}

/** Where a job is explained. Its address keeps the view from which people came. The table follows it without a reload. */
export function JobLink({ job, view }: { job: Job; view: string }) {
  const called = calledBy(job);
  const name = visibleLine(called || job.jobId);
  return (
    <>
      <a
        className={called === "" ? "job id clamped" : "job clamped"}
        title={name.length > 60 ? name : undefined}
        data-row
        href={addressOf(view, job.jobId)}
      >
        {name}
      </a>
      {called !== "" && <span className="id">{job.jobId}</span>}
    </>
  );
}
