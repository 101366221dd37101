import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import { api } from "../api/client";
import { answered } from "../api/refused";
import type { operations } from "../api/schema";
import { printSearch, type Search } from "../url/search";
import { counted, type Grouping } from "./groups";
import { countable } from "./window";

type JobsQuery = NonNullable<operations["find_jobs"]["parameters"]["query"]>;

type FacetsQuery = NonNullable<operations["facets_jobs"]["parameters"]["query"]>;
type FailureFacetsQuery = NonNullable<operations["facets_failures"]["parameters"]["query"]>;
type GroupsQuery = NonNullable<operations["groups_jobs"]["parameters"]["query"]>;

/** Rows of the first page, and of each that follows. */
const ROWS = 50;
const MORE_ROWS = 200;

/** All questions about the lists of jobs begin with this, so that all can be asked again at once. */
export const JOBS = "jobs";

/** The rows, page by page. */
export function jobPages(query: Search) {
  return infiniteQueryOptions({
    queryKey: [JOBS, "rows", printSearch(query)],
    queryFn: async ({ pageParam, signal }) => {
      const page = pageParam === undefined ? { limit: ROWS } : { after: pageParam, limit: MORE_ROWS };
      const asked = { ...(query as JobsQuery), ...page };
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

/** Questions for what can be chosen begin with this: the answers need not be of this second. */
const VALUES = "values of jobs";

/** The values of a column that jobs have where the other filters hold, and how many jobs have each. */
export function jobValues(column: string, query: Search) {
  const { sort: _, ...filters } = query;
  return queryOptions({
    queryKey: [VALUES, column, printSearch(filters)],
    queryFn: async ({ signal }) => {
      const asked = { ...countable(filters, Date.now()), of: [column] } as FacetsQuery;
      const params = { query: asked };
      return answered(await api.GET("/api/v1/facets/jobs", { params, ...joined, signal })).facets[column];
    },
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}

/** The values of a column that failed runs have in the same time: of jobs this column is not counted. */
export function failureValues(column: string, query: Search) {
  const { since, until } = query;
  const window = { ...(since && { since }), ...(until && { until }) };
  return queryOptions({
    queryKey: [VALUES, "failures", column, printSearch(window)],
    queryFn: async ({ signal }) => {
      const params = { query: { ...countable(window, Date.now()), of: [column] } as FailureFacetsQuery };
      return answered(await api.GET("/api/v1/facets/failures", { params, ...joined, signal })).facets[column];
    },
    staleTime: 60_000,
  });
}

/** How many jobs are in which group, and since when that was counted. */
export function jobGroups(query: Search, by: readonly Grouping[]) {
  const { sort: _, ...filters } = query;
  return queryOptions({
    queryKey: [JOBS, "groups", by.join(), printSearch(filters)],
    queryFn: async ({ signal }) => {
      const asked = counted(filters, Date.now());
      const params = { query: { ...(asked as GroupsQuery), by: [...by] } };
      const counts = answered(await api.GET("/api/v1/groups/jobs", { params, ...joined, signal }));
      return { counts, since: asked.since ?? [] };
    },
    placeholderData: keepPreviousData,
  });
}

/** Columns are written with commas between, but other values are repeated. */
const joined = {
  querySerializer: (query: object) => {
    const text = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      const values = name === "of" || name === "by" ? [value.join(",")] : [value].flat();
      for (const value of values) text.append(name, String(value));
    }
    return text.toString();
  },
};
