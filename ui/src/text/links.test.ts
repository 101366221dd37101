import { describe, expect, it } from "vitest";

import { piecesOf } from "./links";

const links = (text: string) => piecesOf(text).flatMap(({ href }) => (href === undefined ? [] : [href]));

describe("links in a text", () => {
  it.each([
    ["see https://wiki.example/gpu.", ["https://wiki.example/gpu"]],
    ["(http://a.example/x?y=1#z), then HTTPS://b.example", ["http://a.example/x?y=1#z", "HTTPS://b.example"]],
    ["javascript:alert(1) data:text/html,x ftp://a.example file:///etc/passwd //a.example", []],
    ["https://", []],
    ["", []],
  ])("%s", (text, expected) => {
    expect(links(text)).toEqual(expected);
  });

  it("leave the text as it was", () => {
    const text = "first https://a.example/b), and https://c.example.";
    expect(
      piecesOf(text)
        .map((piece) => piece.text)
        .join(""),
    ).toBe(text);
  });
});
