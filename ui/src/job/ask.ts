import { api } from "../api/client";
import { answered } from "../api/refused";
import type { operations } from "../api/schema";
import { headersOf } from "./who";

type Answered = operations["post_jobs_retry"]["responses"]["200"]["content"]["application/json"];

/** What the scheduler says of one job. */
export type Asked = NonNullable<Answered["results"]>[number];

export interface Request {
  readonly name: "retry" | "never-retry" | "cancel";
  readonly title: string;
  /** What it means, before anybody asks. */
  readonly help: string;
}

/** What people can ask of a submitted job. */
export const REQUESTS: readonly Request[] = [
  { name: "retry", title: "Retry", help: "One more run, outside all limits of retries." },
  { name: "never-retry", title: "Never retry", help: "No further retries; a run that goes on may end." },
  { name: "cancel", title: "Cancel", help: "The job ends as cancelled, and its pod is stopped." },
];

interface Body {
  readonly jobIds: string[];
  readonly reason?: string;
  readonly dryRun: boolean;
}

/** Ask the scheduler in somebody's name, or on a dry run only what it would do. Throws Refused with what it says. */
export async function ask(request: Request, body: Body, name = ""): Promise<Asked> {
  const headers = headersOf(name);
  const { results = [] } = answered(await api.POST(`/api/v1/scheduler/jobs/${request.name}`, { body, headers }));
  return results[0] ?? { outcome: "REQUEST_OUTCOME_NOT_FOUND" };
}
