import { describe, expect, it } from "vitest";

import { stepOf } from "./keyboard";

describe("a key", () => {
  it.each([
    ["j", -1, 3, 0],
    ["j", 0, 3, 1],
    ["j", 2, 3, 2],
    ["k", 2, 3, 1],
    ["k", 0, 3, 0],
    ["k", -1, 3, 0],
    ["ArrowDown", 0, 3, 1],
    ["ArrowUp", 1, 3, 0],
    ["j", -1, 0, undefined],
    ["x", 1, 3, undefined],
    ["constructor", 1, 3, undefined],
  ])("%s at row %i of %i leads to %s", (key, at, rows, next) => {
    expect(stepOf(key, at, rows)).toBe(next);
  });

  it("leads to the first row in the window if none has the focus", () => {
    expect(stepOf("j", -1, 50, 20)).toBe(20);
  });
});
