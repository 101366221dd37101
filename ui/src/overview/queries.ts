import { keepPreviousData, type UseQueryOptions } from "@tanstack/react-query";

import { api } from "../api/client";
import { answered } from "../api/refused";
import type { components, operations } from "../api/schema";
import { countable } from "../jobs/window";
import { printSearch, type Search } from "../url/search";
import type { View } from "./address";

export type Tops = components["schemas"]["Tops"];
export type Top = components["schemas"]["Top"];
export type Retrying = components["schemas"]["Retrying"];
export type Clusters = components["schemas"]["Clusters"];
export type Outcomes = components["schemas"]["Outcomes"];
export type Cluster = components["schemas"]["Cluster"];

type Asked<Name extends keyof operations> = operations[Name] extends { parameters: { query?: infer Query } }
  ? NonNullable<Query>
  : never;

/** All questions of the overview begin with this, so that all can be asked again at once. */
export const OVERVIEW = "overview";

/** How many are listed until people ask for all. */
export const FEW = 8;

/** How many the API lists at most. */
export const MOST = 200;

/** Failures by hour or day and by fault, and how many runs ended at all. */
export function failuresOverTime({ window, filters, step, zone }: View) {
  return asked("series", { ...window, ...filters, step: [step], zone: [zone] }, async (search, signal) => {
    const query = { ...(search as Asked<"series">), by: "origin" as const };
    return answered(await api.GET("/api/v1/series", { params: { query }, signal }));
  });
}

/** The most frequent categories. */
export function topCategories({ window, filters }: View, limit: number) {
  return asked("categories", { ...window, ...filters, limit: [String(limit)] }, async (search, signal) => {
    const query = search as Asked<"tops_category">;
    return answered(await api.GET("/api/v1/tops/category", { params: { query }, signal }));
  });
}

/** The nodes on which runs fail most often. Their counts do not know queues. */
export function worstNodes({ window, filters: { queue: _, ...filters }, leastRuns }: View, limit: number) {
  const compared = { leastRuns: [String(leastRuns)], limit: [String(limit)] };
  return asked("nodes", { ...window, ...filters, ...compared }, async (search, signal) => {
    const query = search as Asked<"tops_node">;
    return answered(await api.GET("/api/v1/tops/node", { params: { query }, signal }));
  });
}

/** The jobs that keep failing; of a long window in its last seven days. */
export function keepRetrying({ window, filters }: View, limit: number) {
  return asked("retrying", { ...window, ...filters, limit: [String(limit)] }, async (search, signal) => {
    const query = countable(search, Date.now()) as Asked<"tops_retrying">;
    return answered(await api.GET("/api/v1/tops/retrying", { params: { query }, signal }));
  });
}

/** The clusters and how they are heard. */
export function allClusters() {
  return asked("clusters", {}, async (_, signal) => answered(await api.GET("/api/v1/clusters", { signal })));
}

/** How the jobs went on of which a run failed. */
export function outcomesOf({ window, filters }: View) {
  return asked("outcomes", { ...window, ...filters }, async (search, signal) => {
    const query = search as Asked<"outcomes">;
    return answered(await api.GET("/api/v1/outcomes", { params: { query }, signal }));
  });
}

export type Filter = "queue" | "cluster";

/** The queues or clusters of runs in the window, and how many runs have each. */
export function valuesOf(name: Filter, { window, filters }: View) {
  return asked("values", { ...window, ...filters, of: [name] }, async (search, signal) => {
    const query = { ...(search as Asked<"facets_runs">), of: [name] };
    const { facets } = answered(await api.GET("/api/v1/facets/runs", { params: { query }, signal }));
    return facets[name]?.values ?? [];
  });
}

/** The latest job of all; nothing if Lookout has none. */
export function latestJob() {
  return asked("latest", {}, async (_, signal) => {
    const query = { limit: 1 };
    return answered(await api.GET("/api/v1/jobs", { params: { query }, signal })).items[0] ?? null;
  });
}

/** What was shown before stays until the answer is there. */
function asked<Data>(
  name: string,
  search: Search,
  ask: (search: Search, signal: AbortSignal) => Promise<Data>,
): UseQueryOptions<Data> {
  return {
    queryKey: [OVERVIEW, name, printSearch(search)],
    queryFn: ({ signal }) => ask(search, signal),
    placeholderData: keepPreviousData,
  } as UseQueryOptions<Data>;
}
