import { describe, expect, it } from "vitest";

import { firstOf, parseSearch, printSearch, toggled, withValues } from "./search";

describe("an address", () => {
  it.each([
    ["", {}],
    ["?", {}],
    ["?category=a&category=b&sort=-firstAt", { category: ["a", "b"], sort: ["-firstAt"] }],
    ["?category=a&category=a", { category: ["a"] }],
    ["?=x&&a", { a: [""] }],
    ["?a=%", { a: ["%"] }],
    ["?a=%ff", { a: ["\ufffd"] }],
    ["?__proto__=x&constructor=y", { ["__proto__"]: ["x"], constructor: ["y"] }],
  ])("%s is read", (text, search) => {
    expect(Object.entries(parseSearch(text))).toEqual(Object.entries(search));
  });

  it("that is far too long is cut, not refused", () => {
    const text = `?${Array.from({ length: 10_000 }, (_, at) => `a=${at}`).join("&")}`;
    expect(firstOf(parseSearch(text), "a")).toBe("0");
  });

  it("is the same for the same view, and read as it was written", () => {
    const search = { node: ["b"], category: ["infra/gpu", "a&b=c d+e"] };
    expect(printSearch(search)).toBe(printSearch({ category: search.category, node: search.node }));
    expect({ ...parseSearch(printSearch(search)) }).toEqual(search);
  });
});

describe("a view", () => {
  it("gains and loses values", () => {
    const one = toggled({}, "queue", "ml");
    expect(one).toEqual({ queue: ["ml"] });
    expect(toggled(one, "queue", "etl")).toEqual({ queue: ["ml", "etl"] });
    expect(toggled(one, "queue", "ml")).toEqual({});
    expect(withValues(one, "sort", [])).toEqual(one);
  });
});
