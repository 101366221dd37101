import { describe, expect, it } from "vitest";

import { spanText, tickText, windowText } from "./words";

const NOW = Date.parse("2026-11-26T14:30:00Z");

describe("times at the axis", () => {
  it.each([
    ["2026-11-26T14:00:00Z", "hour", "UTC", "14:00"],
    ["2026-11-26T00:00:00Z", "hour", "UTC", "26 Nov"],
    ["2026-11-26T00:00:00Z", "hour", "Europe/Berlin", "01:00"],
    ["2026-11-25T23:00:00Z", "day", "Europe/Berlin", "26 Nov"],
    ["2026-11-25T23:00:00Z", "hour", "Asia/Kolkata", "04:30"],
  ] as const)("%s by the %s in %s is %s", (at, step, zone, text) => {
    expect(tickText(at, step, zone)).toBe(text);
  });
});

describe("spans of time", () => {
  it("are named whole", () => {
    const span = { since: "2026-11-26T23:00:00Z", until: "2026-11-27T00:00:00Z" };
    expect(spanText(span, "hour", "UTC")).toBe("Thu, 26 Nov 2026, 23:00 to 00:00");
    expect(spanText(span, "day", "Europe/Berlin")).toBe("Fri, 27 Nov 2026");
  });

  it("end now if they have not ended", () => {
    const window = { since: "2026-11-25T14:00:00Z", until: "2026-11-26T15:00:00Z" };
    expect(windowText(window, "UTC", NOW)).toBe("25 Nov 2026, 14:00 until now (UTC)");
    expect(windowText({ ...window, until: "2026-11-26T14:29:00Z" }, "UTC", NOW)).toBe(
      "25 Nov 2026, 14:00 until now (UTC)",
    );
    expect(windowText({ ...window, until: "2026-11-26T14:00:00Z" }, "Asia/Kolkata", NOW)).toBe(
      "25 Nov 2026, 19:30 until 26 Nov 2026, 19:30 (Asia/Kolkata)",
    );
  });
});
