import { describe, expect, it } from "vitest";

import type { components } from "../api/schema";
import { byFault, spansOf, together } from "./faults";

type Line = components["schemas"]["Line"];

const HOURS = ["2026-11-26T12:00:00Z", "2026-11-26T13:00:00Z"];

function line(value: string, ...counts: readonly [runs: number, failures: number][]): Line {
  const points = HOURS.map((at, place) => ({ at, runs: counts[place]?.[0] ?? 0, failures: counts[place]?.[1] ?? 0 }));
  return { value, runs: 0, failures: 0, points };
}

const SERIES = {
  since: HOURS[0] ?? "",
  until: "2026-11-26T14:00:00Z",
  base: "rollups",
  step: "hour",
  zone: "UTC",
  lines: [line("user", [3, 3], [1, 1]), line("infra", [0, 0], [2, 2]), line("", [7, 0], [5, 0])],
  others: line("", [0, 0], [0, 0]),
  othersCount: 0,
};

describe("failures over time", () => {
  it("are in spans that follow each other", () => {
    expect(spansOf(SERIES)).toEqual([
      {
        since: "2026-11-26T12:00:00Z",
        until: "2026-11-26T13:00:00Z",
        runs: 10,
        failures: 3,
        byFault: { infra: 0, platform: 0, user: 3, unknown: 0 },
      },
      {
        since: "2026-11-26T13:00:00Z",
        until: "2026-11-26T14:00:00Z",
        runs: 8,
        failures: 3,
        byFault: { infra: 2, platform: 0, user: 1, unknown: 0 },
      },
    ]);
  });

  it("add up", () => {
    expect(together(spansOf(SERIES))).toEqual({
      runs: 18,
      failures: 6,
      byFault: { infra: 2, platform: 0, user: 4, unknown: 0 },
    });
    expect(together([]).runs).toBe(0);
  });

  it("of an origin that is none of the known ones are of an unknown one", () => {
    expect(byFault({ infra: 2, "": 1, unknown: 3 })).toEqual({ infra: 2, platform: 0, user: 0, unknown: 4 });
  });
});
