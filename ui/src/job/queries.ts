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

/** Milliseconds after which the scheduler is asked again how a job stands. */
const STANDING = 15_000;

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

/** Whether an error says that this Lookout knows no scheduler. */
export function isWithoutScheduler(error: Error | null): boolean {
  return error instanceof Refused && error.problem.code === "no-scheduler";
}

/** Where a submitted job stands now, as the scheduler says it. */
export function jobStanding(id: string) {
  return queryOptions({
    queryKey: [JOB, "standing", id],
    queryFn: async ({ signal }) => {
      const body = { jobIds: [id] };
      const { jobs } = answered(await api.POST("/api/v1/scheduler/jobs/standing", { body, signal }));
      return jobs?.[0] ?? null;
    },
    retry: false,
    // Why a job waits may change while nothing happens to it. Of one that has ended, or without a scheduler, nothing does.
    refetchInterval: ({ state }) => (state.data?.endedTime || isWithoutScheduler(state.error) ? false : STANDING),
  });
}

/** The pod of a job as it was submitted. It never changes. */
export function submittedPod(id: string) {
  return queryOptions({
    queryKey: ["submitted pod", id],
    queryFn: async ({ signal }) =>
      answered(await api.GET("/api/v1/scheduler/jobs/{job_id}/pod", { params: { path: { job_id: id } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}
