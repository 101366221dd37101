import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";

import { NotFound, Unforeseen } from "./shell/failures";
import { Shell } from "./shell/shell";
import { parseSearch, printSearch, type Search } from "./url/search";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: Unforeseen,
  validateSearch: (search): Search => search as Search,
});

const OverviewPage = lazyRouteComponent(() => import("./overview/page"), "OverviewPage");
const overview = createRoute({ getParentRoute: () => root, path: "/", component: OverviewPage });

const JobsPage = lazyRouteComponent(() => import("./jobs/page"), "JobsPage");
const jobs = createRoute({ getParentRoute: () => root, path: "/jobs", component: JobsPage });

const JobPage = lazyRouteComponent(() => import("./job/page"), "JobPage");
const job = createRoute({ getParentRoute: () => root, path: "/jobs/$id", component: JobPage });

const RunPage = lazyRouteComponent(() => import("./job/page"), "RunPage");
const run = createRoute({ getParentRoute: () => root, path: "/runs/$id", component: RunPage });

export const router = createRouter({
  routeTree: root.addChildren([overview, jobs, job, run]),
  parseSearch,
  stringifySearch: (search) => printSearch(search as Search),
  defaultPreload: false,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
