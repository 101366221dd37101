import { describe, expect, it } from "vitest";

import { printSearch, type Search } from "../url/search";
import {
  counted,
  countsText,
  type Group,
  groupAt,
  groupingsOf,
  isOpen,
  jobsIn,
  nameOf,
  openJunk,
  shares,
  turned,
  withGroupings,
  within,
} from "./groups";

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
    [["ml", "gpu"], "?category=gpu&queue=ml"],
    [["ml", ""], "?category.exists=false&queue=ml&state=any-failure"],
    [[""], "?queue.exists=false"],
    [[null], "?queue.exists=false"],
  ])("with the values %j lead to their jobs", (path, address) => {
    const search = { group: ["queue,category"], in: ["ml"], queue: ["ml", "etl"] };
    expect(printSearch(jobsIn(search, ["queue", "category"], path) ?? {})).toBe(address);
  });

  it("of jobs without a failure lead nowhere: no filter finds those", () => {
    expect(jobsIn({}, ["queue", "category"], ["ml", null])).toBeUndefined();
  });

  it.each([
    [{}, ["ml"], { queue: ["ml"] }],
    [{ queue: ["ml", "etl"] }, ["ml"], { queue: ["ml"] }],
    [{}, ["ml", "gpu"], { queue: ["ml"], category: ["gpu"] }],
    [{ category: ["oom"] }, ["ml", "gpu"], { queue: ["ml"], category: ["oom"] }],
    [{ "category.startsWith": ["o"] }, ["ml", "gpu"], { queue: ["ml"], "category.startsWith": ["o"] }],
    [{}, [null, ""], {}],
  ])("are counted among as few jobs as filters can say: of %j within %j", (query, path, filters) => {
    expect(within(query as Search, ["queue", "category"], path)).toEqual(filters);
  });

  it("are opened, and closed with all in them", () => {
    const opened = turned(turned(turned({ queue: ["x"] }, ["a/b"]), ["a/b", null]), ["a/b c"]);
    expect(opened.in).toEqual(["a%2Fb", "a%2Fb/", "a%2Fb%20c"]);
    expect(isOpen(opened, ["a/b", null])).toBe(true);
    expect(isOpen(opened, ["a/b", ""])).toBe(false);
    expect(turned(opened, ["a/b"])).toEqual({ queue: ["x"], in: ["a%2Fb%20c"] });
    expect(withGroupings(opened, ["owner"])).toEqual({ queue: ["x"], group: ["owner"] });
  });

  it.each([
    ["gpu", "category", 3, "gpu"],
    [137, "exitCode", 3, "137"],
    [null, "category", 0, "no failure"],
    [null, "exitCode", 2, "no exit code, or no failure"],
    ["", "category", 2, "no category"],
    [null, "owner", 0, "no owner"],
  ] as const)("of the value %j of %s with %i failures are called %s", (value, column, failed, name) => {
    expect(nameOf({ value, failed } as Group, column)).toBe(name);
  });

  it("that are too deep are named", () => {
    expect(openJunk({ in: ["ml", "ml/gpu"] }, ["queue", "category"])).toEqual(["ml/gpu"]);
  });

  it("are found in what was counted", () => {
    const group = (value: string | null, groups: Group[] = []) => ({ value, groups }) as Group;
    const inner = group(null);
    expect(groupAt(group(null, [group("ml", [group("gpu"), inner])]), ["ml", null])).toBe(inner);
    expect(groupAt(group(null, [group("ml")]), ["ml", "gpu"])).toBeUndefined();
  });

  it("count the last day unless another time is asked for", () => {
    expect(counted({}, 0)).toEqual({ since: ["24h"] });
    expect(counted({ since: ["1h"] }, 0)).toEqual({ since: ["1h"] });
  });

  it("say how many are what", () => {
    expect(countsText({ failed: 1, succeeded: 3000, queued: 0 })).toBe("succeeded 3,000, failed 1");
    expect(shares({ user: 12, infra: 4, "": 4, platform: 0 })).toEqual([
      ["infra", 20],
      ["user", 60],
      ["", 20],
    ]);
  });
});
