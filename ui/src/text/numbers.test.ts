import { describe, expect, it } from "vitest";

import { counted, percent } from "./numbers";

describe("numbers", () => {
  it("are read in groups of three digits", () => {
    expect(counted(1234567)).toBe("1,234,567");
  });

  it.each([
    [0, 0, "–"],
    [0, 9, "0 %"],
    [1, 2000, "< 0.1 %"],
    [3, 1000, "0.3 %"],
    [1, 100, "1 %"],
    [85, 1000, "9 %"],
    [241, 1000, "24 %"],
    [995, 1000, "> 99 %"],
    [19_999, 20_000, "> 99 %"],
    [7, 7, "100 %"],
  ])("%i of %i is %s", (part, whole, text) => {
    expect(percent(part, whole).replaceAll("\u00a0", " ")).toBe(text);
  });
});
