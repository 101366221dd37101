import { describe, expect, it } from "vitest";

import { between, calledBy, keyed, lasting, memory, sentence, stateWord, wordOf } from "./words";

describe("words", () => {
  it.each([
    ["train", "c-1", "train"],
    ["", "c-1", "c-1"],
    ["", "", ""],
  ])("a job with the name %j and the client's id %j is called %j", (name, clientId, called) => {
    expect(calledBy({ name, clientId })).toBe(called);
  });

  it.each([
    ["CONTAINER_KIND_APP", "CONTAINER_KIND_", "app"],
    ["OCCURRENCE_POD_FAILED", "OCCURRENCE_", "pod failed"],
    ["TRISTATE_UNSPECIFIED", "TRISTATE_", ""],
    [undefined, "TRISTATE_", ""],
  ])("%s without %s is %j", (value, prefix, word) => {
    expect(wordOf(value, prefix)).toBe(word);
  });

  it.each([
    ["JOB_STATE_RETRY_WAITING", "waiting for its next run"],
    ["retry-waiting", "waiting for its next run"],
    ["JOB_STATE_CANCELLED", "cancelled"],
    [undefined, ""],
  ])("the state %s is %j", (state, word) => {
    expect(stateWord(state)).toBe(word);
  });

  it.each([
    ["out of memory", "Out of memory."],
    ["Why?", "Why?"],
    ["", "."],
  ])("%j is the sentence %j", (text, said) => {
    expect(sentence(text)).toBe(said);
  });

  it.each([
    [0, "0 s"],
    [0.2, "less than 1 s"],
    [4, "4 s"],
    [60, "1 min"],
    [125, "2 min 5 s"],
    [3_840, "1 h 4 min"],
    [3_605, "1 h"],
    [90_061, "1 d 1 h"],
  ])("%d seconds are %s", (seconds, text) => {
    expect(lasting(seconds)).toBe(text);
  });

  it("say nothing of a time that is not known", () => {
    expect(between(null, "2026-11-26T14:00:00Z")).toBe("");
    expect(between("2026-11-26T14:00:00Z", "2026-11-26T14:01:00Z")).toBe("1 min");
    expect(between("2026-11-26T14:01:00Z", "2026-11-26T14:00:00Z")).toBe("");
  });

  it.each([
    [null, "not set"],
    [0, "0 B"],
    [1_000, "1000 B"],
    [512 * 1024 ** 2, "512 MiB"],
    [1.5 * 1024 ** 3, "1.5 GiB"],
    [3 * 1024 ** 5, "3072 TiB"],
  ])("%j bytes are %s", (bytes, text) => {
    expect(memory(bytes)).toBe(text);
  });

  it("give each of equal things a key of its own", () => {
    expect(keyed(["a", "b", "a"], (text) => text).map(([key]) => key)).toEqual(["a 0", "b 0", "a 1"]);
  });
});
