import { describe, expect, it } from "vitest";

import { linesOf, sameOf } from "./log";

const marked = (text: string, keys: string[]) =>
  linesOf(text, keys)
    .filter((line) => line.isKey)
    .map((line) => line.text);

describe("lines of a log", () => {
  it("are all there, without an empty one at the end", () => {
    expect(linesOf("a\n\nb\r\n", []).map((line) => line.text)).toEqual(["a", "", "b"]);
  });

  it("are marked if they name the error, also in colours", () => {
    expect(marked("start\nKeyError: 'x'\nend", ["KeyError: 'x'"])).toEqual(["KeyError: 'x'"]);
    expect(marked("\u001b[31m  boom\u001b[0m\nend", ["boom"])).toHaveLength(1);
  });

  it("are not marked for an empty key, or for a part of a line", () => {
    expect(marked("a\n\nab", ["", "  ", "b"])).toEqual([]);
  });
});

describe("a log", () => {
  it.each([
    ["\n", "boom", "it is empty"],
    ["boom\n", "boom", "it is the termination message above"],
    ["start\nboom", "boom", ""],
  ])("of %j beside the message %j", (log, message, told) => {
    expect(sameOf(log, message)).toBe(told);
  });
});
