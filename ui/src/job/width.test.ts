import { expect, it } from "vitest";

import { WIDTHS, widthAfter, widthWithin } from "./width";

it.each([
  ["ArrowLeft", 760, 800],
  ["ArrowRight", 760, 720],
  ["ArrowRight", WIDTHS.least, WIDTHS.least],
  ["ArrowLeft", WIDTHS.most, WIDTHS.most],
  ["Home", 760, WIDTHS.least],
  ["End", 760, WIDTHS.most],
  ["a", 760, undefined],
])("%s at %i pixels leads to %s", (key, width, next) => {
  expect(widthAfter(key, width)).toBe(next);
});

it.each([
  [Number.NaN, WIDTHS.usual],
  [-5, WIDTHS.least],
  [1e9, WIDTHS.most],
  [500.4, 500],
])("a width of %s is %i", (width, kept) => {
  expect(widthWithin(width)).toBe(kept);
});
