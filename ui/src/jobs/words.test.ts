import { describe, expect, it } from "vitest";

import { absolute } from "../text/times";
import { parseSearch } from "../url/search";
import { filterText, windowText } from "./words";

describe("a filter", () => {
  it.each([
    ["category", "gpu/xid", "category: gpu/xid"],
    ["origin", "infra", "fault: infra"],
    ["state", "any-failure", "state: any failure"],
    ["state", "still-failed", "state: still failed"],
    ["exitCode.gte", "128", "exit code at least 128"],
    ["keyLine.contains", "cuda", "key line contains cuda"],
    ["node.exists", "false", "no node"],
    ["node.exists", "true", "has a node"],
    ["since", "24h", "since 24h ago"],
    ["since", "beginning", "since the beginning"],
    ["until", "2026-11-26T12:00:00Z", `until ${absolute("2026-11-26T12:00:00Z")}`],
  ])("%s=%s reads as %s", (name, value, text) => {
    expect(filterText(name, value)).toBe(text);
  });
});

describe("a window", () => {
  it.each([
    ["", "first heard of at any time"],
    ["since=24h", "first heard of from 24h ago until now"],
    ["since=beginning&until=1h", "first heard of until 1h ago"],
    ["since=2026-11-26T12:00:00Z", `first heard of from ${absolute("2026-11-26T12:00:00Z")} until now`],
  ])("of %s is %s", (text, words) => {
    expect(windowText(parseSearch(text))).toBe(words);
  });
});
