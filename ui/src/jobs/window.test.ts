import { describe, expect, it } from "vitest";

import { parseSearch } from "../url/search";
import { countable } from "./window";

const NOW = Date.parse("2026-11-26T14:00:00Z");

describe("the window of counts", () => {
  it.each([
    ["", undefined],
    ["since=24h", "24h"],
    ["since=7d", "7d"],
    ["since=169h", "7d"],
    ["since=30d", "7d"],
    ["since=beginning", "7d"],
    ["since=2026-11-20T00:00:00Z", "2026-11-20T00:00:00Z"],
    ["since=2026-11-01T00:00:00Z", "7d"],
    ["since=30d&until=25d", "30d"],
    ["since=30d&until=20d", "2026-10-30T14:00:01.000Z"],
    ["until=2026-11-10T00:00:00Z", "2026-11-03T00:00:01.000Z"],
  ])("of %s begins at %s", (text, since) => {
    expect(countable(parseSearch(text), NOW).since?.[0]).toBe(since);
  });
});
