import { ends, shortened } from "../text/shortened";
import { visibleLine } from "../text/visible";
import type { JobHistory, RunHistory } from "./queries";
import { titleOf } from "./summary";
import { calledBy } from "./words";

type Job = Pick<JobHistory, "name" | "clientId"> & { readonly attempts: readonly Failing[] };
type Failing = Pick<RunHistory, "jobId" | "category" | "subcategory"> & {
  readonly answer: Pick<NonNullable<RunHistory["answer"]>, "categoryInWords"> | null;
};

/** As much of a name as a tab, or a list of bookmarks, has room for. */
const ROOM = 60;

/** How the tab of a job is called: by its name, or by what failed, and by both ends of its id. */
export function jobTab(id: string, job: Job | undefined): string {
  const failed = job?.attempts.find((attempt) => attempt.answer !== null);
  return tab("Job", (job && calledBy(job)) || whatFailed(failed), id);
}

/** How the tab of a run is called: by what failed, and by both ends of its id. */
export function runTab(id: string, run: Failing | undefined): string {
  return tab("Run", whatFailed(run), id);
}

function tab(kind: string, called: string, id: string): string {
  const shortId = visibleLine(ends(id));
  return called === "" ? `${kind} ${shortId}` : `${shortened(visibleLine(called), ROOM)} · ${shortId}`;
}

function whatFailed(run: Failing | undefined): string {
  return run?.answer ? titleOf(run.answer.categoryInWords, run) : "";
}
