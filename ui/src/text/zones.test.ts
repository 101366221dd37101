import { describe, expect, it } from "vitest";

import { fieldIn, isZone, momentIn, zoneNames } from "./zones";

describe("zones", () => {
  it.each([
    ["UTC", true],
    ["Europe/Berlin", true],
    ["America/Argentina/Buenos_Aires", true],
    ["Etc/GMT+5", true],
    ["Mars/Olympus", false],
    ["+05:30", false],
    ["", false],
    ["Europe/Berlin\u0000", false],
  ])("%s is one: %s", (name, is) => {
    expect(isZone(name)).toBe(is);
  });

  it("are offered once", () => {
    const names = zoneNames("Europe/Berlin");
    expect(names.slice(0, 2)).toEqual(["Europe/Berlin", "UTC"]);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("a field of date and time", () => {
  it.each([
    ["UTC", "2026-11-26T14:03", "2026-11-26T14:03:00Z"],
    ["Asia/Kolkata", "2026-11-26T19:33", "2026-11-26T14:03:00Z"],
    ["America/New_York", "2026-07-01T10:00", "2026-07-01T14:00:00Z"],
    ["Europe/Berlin", "2026-03-29T01:59", "2026-03-29T00:59:00Z"],
    ["Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00:00Z"],
    ["Europe/Berlin", "2026-10-25T01:59", "2026-10-24T23:59:00Z"],
    ["Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00:00Z"],
    ["America/New_York", "2026-11-01T01:30", "2026-11-01T05:30:00Z"],
    ["America/New_York", "2026-03-08T03:00", "2026-03-08T07:00:00Z"],
    ["Pacific/Auckland", "2026-09-27T03:00", "2026-09-26T14:00:00Z"],
  ])("in %s that shows %s means %s, and back", (zone, field, moment) => {
    expect(momentIn(zone, field)).toBe(moment);
    expect(fieldIn(zone, moment)).toBe(field);
  });

  it("that shows a time twice means the first, and one that never was is as much later", () => {
    expect(momentIn("Europe/Berlin", "2026-10-25T02:30")).toBe("2026-10-25T00:30:00Z");
    expect(momentIn("Europe/Berlin", "2026-03-29T02:30")).toBe("2026-03-29T01:30:00Z");
  });

  it("may be empty", () => {
    expect(momentIn("UTC", "")).toBeUndefined();
    expect(fieldIn("UTC", "junk")).toBe("");
  });
});
