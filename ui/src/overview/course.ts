import type { Job, Run } from "../jobs/failure";

export interface Course {
  readonly words: string;
  /** A moment that follows the words, as how far away it is. */
  readonly at?: string;
}

interface Going {
  readonly goesOn: boolean;
  readonly job: Job;
}

/** Whether a job goes on, and when its next run starts; or that it has ended. */
export function courseOf({ goesOn, job }: Going, now: number): Course {
  const latest = job.runs[0];
  if (!goesOn) return ended(job, latest);
  if (job.observed === "running") return running(latest);
  if (job.observed === "waiting") return waiting(latest, now);
  return { words: "what follows is not decided yet" };
}

function ended(job: Job, latest: Run | undefined): Course {
  const at = job.endedAt ?? latest?.succeededAt ?? latest?.failedAt;
  return at == null ? { words: "has ended" } : { words: "ended", at };
}

function running(latest: Run | undefined): Course {
  if (latest?.state !== "running") return { words: "its next run is about to start" };
  return latest.runningAt === null ? { words: "runs now" } : { words: "runs again, started", at: latest.runningAt };
}

function waiting(latest: Run | undefined, now: number): Course {
  const at = latest?.notBefore ?? null;
  const isAhead = at !== null && Date.parse(at) > now;
  return isAhead ? { words: "will run again", at } : { words: "will run again as soon as there is room" };
}
