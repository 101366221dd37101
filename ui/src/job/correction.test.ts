import { describe, expect, it } from "vitest";

import { correctionOf, type Filled, nearOf } from "./correction";

const filled: Filled = { leaf: " gpu/xid ", origin: "infra", retryable: "yes", reason: " seen in dmesg " };

describe("a correction", () => {
  it("is posted with its parts", () => {
    expect(correctionOf(filled, "e1")).toEqual({
      failureId: "e1",
      category: "gpu",
      subcategory: "xid",
      origin: "infra",
      retryable: true,
      reason: "seen in dmesg",
    });
    expect(correctionOf({ ...filled, leaf: "gpu", retryable: "" }, "e1")).toMatchObject({
      category: "gpu",
      subcategory: null,
      retryable: null,
    });
  });

  it.each(["", "  ", "/xid", "gpu/", "a/b/c"])("is not made of the category %j", (leaf) => {
    expect(correctionOf({ ...filled, leaf }, "e1")).toMatch(/category|CATEGORY/);
  });

  it("is suggested from rules that matched or were refused", () => {
    const match = { category: "gpu", subcategory: "xid" };
    const hypotheses = [{ match: { category: "node", subcategory: "" } }, { match }];
    expect(nearOf({ classification: { matches: [match], hypotheses } })).toEqual(["gpu/xid", "node"]);
    expect(nearOf({})).toEqual([]);
  });
});
