import { Link } from "@tanstack/react-router";

import { JobsLink } from "../jobs/jobs-link";
import { shortened } from "../text/shortened";
import { visibleLine } from "../text/visible";
import { When } from "../text/when";
import { leftOut, type Meant, placeOf } from "./meant";
import { keyed } from "./words";

/** Jobs and runs that are known by an id, to choose from. */
export function MeantList({ id, meant }: { id: string; meant: readonly Meant[] }) {
  return (
    <>
      <span>{visibleLine(shortened(id))} is</span>
      <ul className="list">
        {keyed(meant, nameOf).map(([key, known]) => (
          <li key={key}>
            <Known known={known} />
          </li>
        ))}
      </ul>
      {leftOut(meant, id).map((search) => (
        <JobsLink key={Object.keys(search).join()} className="anchor" search={search}>
          There are more: list all jobs by this {"clientId" in search ? "client id" : "name of a pod"}
        </JobsLink>
      ))}
    </>
  );
}

function nameOf({ jobId, runId }: Meant): string {
  return runId === null ? `job ${jobId}` : `run ${runId}`;
}

function Known({ known }: { known: Meant }) {
  const { to, id, search } = placeOf(known);
  return (
    <>
      the {known.knownAs} of{" "}
      <Link className="anchor" to={to} params={{ id }} search={search}>
        {visibleLine(nameOf(known))}
      </Link>
      {known.queue !== "" && `, queue ${visibleLine(known.queue)}`}, first heard of <When at={known.firstAt} />
    </>
  );
}
