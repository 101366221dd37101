import { expect, it } from "vitest";

import { headersOf } from "./who";

it.each([
  ["Zoë Ø 100%", { "failure-agent-user": "Zo%C3%AB%20%C3%98%20100%25" }],
  [" ann\n", { "failure-agent-user": "ann" }],
  ["  ", {}],
])("the header of %s", (name, headers) => {
  expect(headersOf(name)).toEqual(headers);
});
