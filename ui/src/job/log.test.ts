import { describe, expect, it } from "vitest";

import { linesOf, NO_KEYS, partsOf, sameOf } from "./log";

const marked = (text: string, lines: string[], parts: string[] = []) =>
  linesOf(text, { lines, parts })
    .filter((line) => line.isKey)
    .map((line) => line.text);

describe("lines of a log", () => {
  it("are all there, without an empty one at the end", () => {
    expect(linesOf("a\n\nb\r\n", NO_KEYS).map((line) => line.text)).toEqual(["a", "", "b"]);
  });

  it("are marked if they name the error, also in colours", () => {
    expect(marked("start\nKeyError: 'x'\nend", ["KeyError: 'x'"])).toEqual(["KeyError: 'x'"]);
    expect(marked("\u001b[31m  boom\u001b[0m\nend", ["boom"])).toHaveLength(1);
  });

  it("are marked if they begin as a key does that was cut", () => {
    expect(marked("ValueError: aaaa\nValueError: b", ["ValueError: aa...[truncated]"])).toEqual(["ValueError: aaaa"]);
    expect(marked("any", ["...[truncated]"])).toEqual([]);
  });

  it("are not marked by a rule where another one names the error", () => {
    expect(marked("Traceback:\nKeyError: 'x'", ["KeyError: 'x'"], ["Traceback"])).toEqual(["KeyError: 'x'"]);
  });

  it("are marked if a rule decided by a part of them", () => {
    expect(marked("start\nHost key verification failed.", [], ["Host key"])).toEqual(["Host key verification failed."]);
  });

  it("are not marked for an empty key, or for a part of a line", () => {
    expect(marked("a\n\nab", ["", "  ", "b"])).toEqual([]);
  });
});

describe("parts by which a rule decided", () => {
  it.each([
    [{ where: "container a: termination message", text: "CUDA error" }, ["CUDA error"]],
    [{ where: "container a: failed; container a: termination message", text: "init; Host key" }, ["Host key"]],
    [{ where: "container a: exit code 137", text: "137" }, []],
    [{ where: "pod: error", text: "a; b" }, []],
    [{ where: "container a: log", text: "F" }, []],
    [undefined, []],
  ])("of %j", (match, parts) => {
    expect(partsOf(match)).toEqual(parts);
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
