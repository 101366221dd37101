import createClient from "openapi-fetch";

import type { components, paths } from "./schema";

/** The API of this Lookout. Its types are those of the OpenAPI document. */
export const api = createClient<paths>({ baseUrl: window.location.origin });

export type Problem = components["schemas"]["ProblemBody"];
