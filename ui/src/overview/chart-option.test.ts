import { describe, expect, it } from "vitest";

import { chartOption, ticks } from "./chart-option";
import type { Span } from "./faults";

const COLOURS = { faults: { infra: "a", platform: "b", user: "c", unknown: "d" }, text: "e", line: "f", ground: "g" };

function hour(number: number, failures: number): Span {
  const at = (hour: number) => new Date(Date.UTC(2026, 10, 25, hour)).toISOString();
  const byFault = { infra: failures, platform: 0, user: 0, unknown: 0 };
  return { since: at(number), until: at(number + 1), runs: 9, failures, byFault };
}

function hours(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, place) => (from + place) % 24).map((at) =>
    at === 0 ? "26 Nov" : `${at}:00`,
  );
}

describe("names at the axis", () => {
  it.each([
    [hours(15, 24), 24, 24, "15:00"],
    [hours(15, 24), 12, 12, "16:00"],
    [hours(15, 24), 5, 4, "18:00"],
    [hours(15, 72), 10, 9, "16:00"],
    [["1 Nov", "2 Nov", "3 Nov"], 2, 2, "1 Nov"],
    [["1 Nov"], 1, 1, "1 Nov"],
    [[], 5, 0, undefined],
  ])("of %j, at most %i, are %i", (names, most, count, first) => {
    const shown = [...ticks(names, most)];
    expect(shown).toHaveLength(count);
    expect(names[shown[0] ?? 0]).toBe(first);
    expect(shown.length).toBeLessThanOrEqual(most);
  });

  it("have each beginning of a day", () => {
    const names = hours(15, 72);
    const shown = ticks(names, 10);
    expect(names.map((name, place) => name !== "26 Nov" || shown.has(place))).not.toContain(false);
  });
});

describe("the chart", () => {
  it("has a bar for each span, with a part for each fault", () => {
    const option = chartOption({
      spans: [hour(22, 3), hour(23, 0)],
      step: "hour",
      zone: "UTC",
      colours: COLOURS,
      width: 500,
      tip: () => ({}) as HTMLElement,
    });
    expect(option.xAxis).toMatchObject({ data: ["22:00", "23:00"] });
    expect(option.series).toMatchObject([
      { name: "Infra", data: [3, 0], itemStyle: { color: "a" } },
      { name: "Platform", data: [0, 0] },
      { name: "User" },
      { name: "Unknown" },
    ]);
  });
});
