import { describe, expect, it } from "vitest";

import { readParameters } from "../jobs/parameters";
import { printSearch } from "../url/search";
import { jobsBehind, ofFault, withValue } from "./behind";

const WINDOW = { since: "2026-11-26T12:00:00Z", until: "2026-11-26T13:00:00Z" };

describe("the jobs behind a figure", () => {
  it.each([
    [[], "?failedAt.gte=2026-11-26T12%3A00%3A00Z&failedAt.lt=2026-11-26T13%3A00%3A00Z"],
    [
      [{ queue: ["ml"] }, ofFault("infra", "platform")],
      "?failedAt.gte=2026-11-26T12%3A00%3A00Z&failedAt.lt=2026-11-26T13%3A00%3A00Z&origin=infra&origin=platform&queue=ml",
    ],
    [
      [withValue("category", "")],
      "?category.exists=false&failedAt.gte=2026-11-26T12%3A00%3A00Z&failedAt.lt=2026-11-26T13%3A00%3A00Z",
    ],
    [
      [withValue("category", "a&b")],
      "?category=a%26b&failedAt.gte=2026-11-26T12%3A00%3A00Z&failedAt.lt=2026-11-26T13%3A00%3A00Z",
    ],
  ])("with %j have an address that the page of jobs reads whole", (filters, address) => {
    const search = jobsBehind(WINDOW, ...filters);
    expect(printSearch(search)).toBe(address);
    expect(readParameters(search)).toEqual({ query: search, ignored: [] });
  });
});
