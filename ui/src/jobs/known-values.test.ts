import { describe, expect, it } from "vitest";

import { absolute } from "../text/times";
import { knownOf } from "./known-values";

describe("values that can be chosen", () => {
  const facet = {
    since: "2026-11-26T12:00:00Z",
    until: "2026-11-26T13:00:00Z",
    base: "rows",
    leftOut: 0,
    values: [
      { value: "user", count: 7 },
      { value: null, count: 5 },
      { value: "", count: 4 },
      { value: "infra", count: 1 },
    ],
  };

  it("are those that were found, then all others", () => {
    const known = knownOf(facet, ["infra", "platform", "user"], "Jobs");
    expect(known.values).toEqual(["user", "infra", "platform"]);
    expect([...known.counts]).toEqual([
      ["user", 7],
      ["infra", 1],
    ]);
    expect(known.base).toBe(`Jobs since ${absolute(facet.since)}`);
  });

  it("are those that there can be while nothing was asked", () => {
    expect(knownOf(undefined, ["true", "false"], "Jobs")).toEqual({
      values: ["true", "false"],
      counts: new Map(),
      base: "",
    });
  });
});
