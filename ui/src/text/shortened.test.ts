import { expect, it } from "vitest";

import { GLANCE, shortened } from "./shortened";

it.each([
  ["a text that is read at a glance", "a".repeat(GLANCE), "a".repeat(GLANCE)],
  ["a longer one", "a".repeat(GLANCE + 1), `${"a".repeat(GLANCE)}…`],
  ["one that would be cut within a character", `${"a".repeat(GLANCE - 1)}😀`, `${"a".repeat(GLANCE - 1)}…`],
])("%s", (_, text, shown) => {
  expect(shortened(text)).toBe(shown);
});
