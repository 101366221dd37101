import { queryOptions, useQuery } from "@tanstack/react-query";

import { api } from "../api/client";
import { answered } from "../api/refused";
import { JOB } from "./queries";

/** Milliseconds after which the scheduler is asked again how a job stands. */
const STANDING = 15_000;

/** Milliseconds for which it is taken that Lookout was not started again with other settings. */
const SETTINGS = 60_000;

/** Whether this Lookout has a scheduler to ask; nothing until that is known. */
export function useScheduler(): boolean | undefined {
  const query = queryOptions({
    queryKey: ["version"],
    queryFn: async ({ signal }) => answered(await api.GET("/api/v1/version", { signal })),
    staleTime: SETTINGS,
  });
  return useQuery(query).data?.scheduler;
}

/** Where a submitted job stands now, as the scheduler says it; without one it is not asked. */
export function useStanding(id: string) {
  return useQuery({ ...jobStanding(id), enabled: useScheduler() === true });
}

function jobStanding(id: string) {
  return queryOptions({
    queryKey: [JOB, "standing", id],
    queryFn: async ({ signal }) => {
      const body = { jobIds: [id] };
      const { jobs } = answered(await api.POST("/api/v1/scheduler/jobs/standing", { body, signal }));
      return jobs?.[0] ?? null;
    },
    retry: false,
    // Why a job waits may change while nothing happens to it. Of one that has ended, nothing does.
    refetchInterval: ({ state }) => (state.data?.endedTime ? false : STANDING),
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
