import { describe, expect, it } from "vitest";

import { absolute } from "../text/times";
import { parseSearch } from "../url/search";
import { filterText, operatorText, windowText } from "./words";

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
    ["userCodeRan", "true", "user's code ran: yes"],
    ["failedAt.lt", "2026-11-26T12:00:00Z", `failed before ${absolute("2026-11-26T12:00:00Z")}`],
  ])("%s=%s reads as %s", (name, value, text) => {
    expect(filterText(name, [value])).toBe(text);
  });

  it.each([
    ["category", ["gpu", "oom"], "category: gpu or oom"],
    ["detail", ["rank=0", "device=1", "label=x"], "detail: rank=0, device=1 and label=x"],
    ["queue", ["a", "b", "c", "d"], "queue: a, b, c or d"],
    ["queue", ["a", "b", "c", "d", "e"], "queue: a, b, c or 2 more"],
  ])("%s of %j reads as %s", (name, values, text) => {
    expect(filterText(name, values)).toBe(text);
  });

  it.each([
    ["exitCode", "", "is"],
    ["detail", "", "has"],
    ["exitCode", "gte", "at least"],
    ["endedAt", "gte", "not before"],
  ])("on %s with %j says %s", (column, operator, text) => {
    expect(operatorText(column, operator)).toBe(text);
  });
});

it("a time is written in the zone that is asked for", () => {
  const [since, zone] = ["2026-11-26T12:00:00Z", "Asia/Kolkata"];
  const text = "26 Nov 2026, 17:30:00 GMT+5:30";
  expect(filterText("failedAt.lt", [since], zone)).toBe(`failed before ${text}`);
  expect(filterText("since", [since], zone)).toBe(`since ${text}`);
  expect(windowText({ since: [since] }, zone)).toBe(`first heard of from ${text} until now`);
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
