import { describe, expect, it } from "vitest";

import { visible, visibleLine } from "./visible";

describe("text that pods wrote", () => {
  it.each([
    ["plain", "plain"],
    ["two\nlines\tand a tab", "two\nlines\tand a tab"],
    ["\u001b[31mred", "\\x1b[31mred"],
    ["a\u0000b", "a\\x00b"],
    ["\u202egpj.exe", "\\u{202e}gpj.exe"],
    ["zero\u200bwidth", "zero\\u{200b}width"],
    ["half \ud800 pair", "half \\u{d800} pair"],
    ["été 日本 🎉", "été 日本 🎉"],
  ])("%j is shown as it is", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it("fits on one line", () => {
    expect(visibleLine("a\n\tb")).toBe("a b");
  });
});
