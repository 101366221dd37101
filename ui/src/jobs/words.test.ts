import { describe, expect, it } from "vitest";

import { filterText } from "./words";

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
    ["until", "2026-11-26T12:00:00Z", "until 2026-11-26T12:00:00Z"],
  ])("%s=%s reads as %s", (name, value, text) => {
    expect(filterText(name, value)).toBe(text);
  });
});
