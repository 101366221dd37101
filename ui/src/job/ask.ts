import { api } from "../api/client";
import { answered } from "../api/refused";
import type { operations } from "../api/schema";

type Answered = operations["post_jobs_retry"]["responses"]["200"]["content"]["application/json"];

/** What the scheduler says of one job. */
export type Asked = NonNullable<Answered["results"]>[number];

export interface Request {
  readonly name: "retry" | "never-retry" | "cancel";
  readonly title: string;
}

/** What people can ask of a submitted job. */
export const REQUESTS: readonly Request[] = [
  { name: "retry", title: "Retry" },
  { name: "never-retry", title: "Never retry" },
  { name: "cancel", title: "Cancel" },
];

interface Body {
  readonly jobIds: string[];
  readonly reason?: string;
  readonly dryRun: boolean;
}

/** Ask the scheduler, or on a dry run only what it would do. Throws Refused with what it says. */
export async function ask(request: Request, body: Body): Promise<Asked> {
  const { results = [] } = answered(await api.POST(`/api/v1/scheduler/jobs/${request.name}`, { body }));
  return results[0] ?? { outcome: "REQUEST_OUTCOME_NOT_FOUND" };
}
