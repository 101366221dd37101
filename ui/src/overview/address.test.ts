import { describe, expect, it } from "vitest";

import { parseSearch, printSearch } from "../url/search";
import { readAddress, wholeWindow, withoutIgnored, withWindow } from "./address";

const NOW = Date.parse("2026-11-26T14:00:00Z");

function read(text: string) {
  return readAddress(parseSearch(text), NOW, "Europe/Berlin");
}

describe("the address of the overview", () => {
  it("needs to say nothing", () => {
    const { view, ignored } = read("");
    expect(view).toEqual({
      window: { since: ["24h"] },
      filters: {},
      step: "hour",
      zone: "Europe/Berlin",
      leastRuns: 20,
      isTable: false,
    });
    expect(ignored).toEqual([]);
  });

  it("says what is shown", () => {
    const { view, ignored } = read(
      "since=7d&step=hour&zone=Asia/Kolkata&queue=ml&queue=etl&cluster=east&leastRuns=5&show=table",
    );
    expect(view).toEqual({
      window: { since: ["7d"] },
      filters: { queue: ["ml", "etl"], cluster: ["east"] },
      step: "hour",
      zone: "Asia/Kolkata",
      leastRuns: 5,
      isTable: true,
    });
    expect(ignored).toEqual([]);
  });

  it.each([
    ["since=1h", "hour"],
    ["since=72h", "hour"],
    ["since=7d", "day"],
    ["since=7d&step=hour", "hour"],
    ["since=90d&step=hour", "day"],
    ["since=24h&step=day", "day"],
    ["since=2026-11-01T00:00:00Z&until=2026-11-02T00:00:00Z", "hour"],
    ["since=2025-11-01T00:00:00Z", "day"],
    ["until=2020-01-01T00:00:00Z", "hour"],
  ])("%s is shown by the %s", (text, step) => {
    expect(read(text).view.step).toBe(step);
  });

  it.each([
    ["since=junk", "since=junk"],
    ["since=beginning", "since=beginning"],
    ["zone=Mars", "zone=Mars"],
    ["zone=%2B05:30", "zone=+05:30"],
    ["step=week", "step=week"],
    ["leastRuns=0", "leastRuns=0"],
    ["show=pie", "show=pie"],
    ["category=oom", "category=oom"],
    ["__proto__=x", "__proto__=x"],
    ["queue=", "queue="],
  ])("%s makes no sense here, which is said", (text, said) => {
    const { view, ignored } = read(`${text}&cluster=beginning`);
    expect(ignored.map((part) => part.text)).toEqual([said]);
    expect(view).toMatchObject({
      window: { since: ["24h"] },
      filters: { cluster: ["beginning"] },
      zone: "Europe/Berlin",
    });
    expect(printSearch(withoutIgnored(parseSearch(`${text}&cluster=beginning`), ignored))).toBe("?cluster=beginning");
  });

  it("that says only when it ends begins a day before", () => {
    expect(read("until=2020-01-02T00:00:00Z").view.window).toEqual({
      since: ["2020-01-01T00:00:00.000Z"],
      until: ["2020-01-02T00:00:00Z"],
    });
  });

  it.each([
    ["since=24h", "2026-11-25T14:00:00Z"],
    ["since=90m", "2026-11-26T13:00:00Z"],
    ["since=7d", "2026-11-18T23:00:00Z"],
    ["since=7d&zone=UTC", "2026-11-19T00:00:00Z"],
    ["since=7d&zone=America/New_York", "2026-11-19T05:00:00Z"],
    ["since=40d", "2026-10-16T22:00:00Z"],
    ["since=2026-11-25T14:20:00%2B00:00", "2026-11-25T14:00:00Z"],
  ])("of %s is counted from %s on", (text, since) => {
    const { view } = read(text);
    expect(wholeWindow(view, NOW + 40 * 60_000)).toEqual({ ...view.window, since: [since] });
  });

  it("has the zone once a window was chosen", () => {
    const search = parseSearch("since=2026-11-01T00:00:00Z&until=2026-11-02T00:00:00Z&step=day&queue=ml");
    expect(printSearch(withWindow(search, { since: ["7d"] }, "UTC"))).toBe("?queue=ml&since=7d&zone=UTC");
  });
});
