import { describe, expect, it } from "vitest";

import { columnsOf, USUAL, widthOf } from "./columns";

/** A window of 1280 pixels, without a scrollbar that takes room and without the edges of the page. */
const LAPTOP = 1_280 - 15 - 2 * 16;

describe("the usual columns", () => {
  it("fit on a laptop", () => {
    expect(widthOf(columnsOf(USUAL))).toBeLessThanOrEqual(LAPTOP);
  });

  it("say on which node it failed, beside how", () => {
    const ids = USUAL.map(({ id }) => id);
    expect(ids[ids.indexOf("failure") + 1]).toBe("node");
  });
});
