import { queryOptions } from "@tanstack/react-query";

import { api } from "../api/client";
import { answered, Refused } from "../api/refused";
import type { components } from "../api/schema";

export type JobHistory = components["schemas"]["JobHistory"];
export type RunHistory = components["schemas"]["RunHistory"];
export type Attempt = components["schemas"]["Attempt"];
export type Decision = components["schemas"]["Decision"];
export type Answer = components["schemas"]["Answer"];
export type Correction = components["schemas"]["Correction"];
export type Report = components["schemas"]["FailureHistory"];
export type Info = Report["info"];

/** All questions about a job and its runs begin with this, so that all can be asked again at once. */
export const JOB = "job";

/** What the API refuses once, such as an id that it does not know, it refuses again. */
const retry = (count: number, error: Error) => count < 1 && !(error instanceof Refused);

/** Everything that is known of a job. */
export function jobHistory(id: string) {
  return queryOptions({
    queryKey: [JOB, "history", id],
    queryFn: async ({ signal }) => answered(await api.GET("/api/v1/jobs/{id}", { params: { path: { id } }, signal })),
    retry,
  });
}

/** Everything that is known of a run. */
export function runHistory(id: string) {
  return queryOptions({
    queryKey: [JOB, "run", id],
    queryFn: async ({ signal }) => answered(await api.GET("/api/v1/runs/{id}", { params: { path: { id } }, signal })),
    retry,
  });
}
