import { Link } from "@tanstack/react-router";

import { visibleLine } from "../text/visible";
import type { Search } from "../url/search";
import type { Job } from "./failure";

/** Where a job is explained. Its address keeps the view from which people came. */
export function JobLink({ job, search }: { job: Job; search: Search }) {
  return (
    <>
      <Link className={job.name === "" ? "job id" : "job"} data-row to="." search={{ ...search, open: [job.jobId] }}>
        {visibleLine(job.name || job.jobId)}
      </Link>
      {job.name !== "" && <span className="id">{job.jobId}</span>}
    </>
  );
}
