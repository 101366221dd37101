import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import { api } from "../api/client";
import { answered } from "../api/refused";
import type { operations } from "../api/schema";
import { printSearch, type Search } from "../url/search";

type JobsQuery = NonNullable<operations["find_jobs"]["parameters"]["query"]>;

const ROWS = 50;

/** All questions about the lists of jobs begin with this, so that all can be asked again at once. */
export const JOBS = "jobs";

/** The rows, page by page. */
export function jobPages(query: Search) {
  return infiniteQueryOptions({
    queryKey: [JOBS, "rows", printSearch(query)],
    queryFn: async ({ pageParam, signal }) => {
      const page = pageParam === undefined ? {} : { after: pageParam };
      const asked = { ...(query as JobsQuery), ...page, limit: ROWS };
      return answered(await api.GET("/api/v1/jobs", { params: { query: asked }, signal }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** How many rows there are. It is asked apart, because it may take longer than the first rows. */
export function jobCount(query: Search) {
  return queryOptions({
    queryKey: [JOBS, "count", printSearch(query)],
    queryFn: async ({ signal }) => {
      const asked = { ...(query as JobsQuery), limit: 1, count: true };
      return answered(await api.GET("/api/v1/jobs", { params: { query: asked }, signal })).count;
    },
    placeholderData: keepPreviousData,
  });
}
