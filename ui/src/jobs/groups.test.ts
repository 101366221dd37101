import { describe, expect, it } from "vitest";

import { printSearch } from "../url/search";
import { counted, countsText, groupingsOf, narrowed, shares } from "./groups";

describe("groups", () => {
  it.each([
    [undefined, []],
    ["queue,category", ["queue", "category"]],
    ["category,junk,category,__proto__", ["category"]],
    ["queue,category,origin,owner,cluster", ["queue", "category", "origin", "owner"]],
  ])("%s is grouped by %j", (text, by) => {
    expect(groupingsOf(text === undefined ? {} : { group: [text] })).toEqual(by);
  });

  it.each([
    [["queue", "category"], "ml", "?group=category&queue=ml"],
    [["queue"], "ml", "?queue=ml"],
    [["queue"], null, "?queue.exists=false"],
    [["queue"], "", "?queue.exists=false"],
  ] as const)("by %j: %s leads to its jobs", (by, value, address) => {
    expect(printSearch(narrowed({ group: [by.join(",")], queue: ["ml", "etl"] }, by, value))).toBe(address);
  });

  it("count the last day unless another time is asked for", () => {
    expect(counted({}, 0)).toEqual({ since: ["24h"] });
    expect(counted({ since: ["1h"] }, 0)).toEqual({ since: ["1h"] });
  });

  it("say how many are what", () => {
    expect(countsText({ failed: 1, succeeded: 3, queued: 0 })).toBe("succeeded 3, failed 1");
    expect(shares({ infra: 1, user: 3 })).toEqual([
      ["user", 75],
      ["infra", 25],
    ]);
  });
});
