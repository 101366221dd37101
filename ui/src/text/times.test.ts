import { describe, expect, it } from "vitest";

import { absolute, ago, fieldOf, momentOf } from "./times";

const NOW = Date.parse("2026-11-26T14:00:00Z");

describe("times", () => {
  it.each([
    ["2026-11-26T14:00:00Z", "now"],
    ["2026-11-26T14:00:20Z", "now"],
    ["2026-11-26T14:05:00Z", "in 5 min"],
    ["2026-11-26T13:59:48Z", "12 s ago"],
    ["2026-11-26T13:00:01Z", "59 min ago"],
    ["2026-11-26T13:00:00Z", "1 h ago"],
    ["2026-11-24T13:00:00Z", "2 d ago"],
    ["junk", "at an unknown time"],
  ])("%s is %s", (at, text) => {
    expect(ago(at, NOW)).toBe(text);
  });

  it.each([
    ["UTC", "26 Nov 2026, 14:00:00 UTC"],
    ["Asia/Kolkata", "26 Nov 2026, 19:30:00 GMT+5:30"],
  ])("are shown in %s", (zone, text) => {
    expect(absolute("2026-11-26T14:00:00Z", zone)).toBe(text);
  });

  it("that cannot be read are shown as they are", () => {
    expect(absolute("junk")).toBe("junk");
    expect(fieldOf("junk")).toBe("");
    expect(momentOf("")).toBeUndefined();
  });

  it.each(["2026-03-29T00:59:00Z", "2026-10-25T12:00:00Z"])("%s comes back from a field", (at) => {
    expect(momentOf(fieldOf(at))).toBe(at);
  });
});
