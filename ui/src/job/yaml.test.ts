import { expect, test } from "vitest";

import { linesOfYaml } from "./yaml";

const textOf = (text: string) =>
  linesOfYaml(text)
    .map((line) => line.map((token) => token.text).join(""))
    .join("\n");

const kinds = (text: string) =>
  Object.fromEntries(
    linesOfYaml(text)
      .flat()
      .filter(({ kind }) => kind !== "")
      .map((token) => [token.text, token.kind]),
  );

test("keys, strings, comments and marks are told apart", () => {
  expect(kinds("kind: Pod # why\n'a': \"b\"\nx: &y [1]\n")).toEqual({
    kind: "key",
    ":": "mark",
    "# why": "comment",
    "'a'": "key",
    '"b"': "string",
    x: "key",
    "&y": "mark",
    "[": "mark",
    "]": "mark",
  });
});

test("a text of several lines has neither keys nor comments in it", () => {
  const lines = linesOfYaml("a: |\n  # first\n  second: 2\nb: 1\n");
  expect(lines.length).toBe(4);
  expect([...(lines[1] ?? []), ...(lines[2] ?? [])].map(({ kind }) => kind)).toEqual(["", ""]);
});

test.each(["", "a", "a:\n- b\n\n- c: {d: [", ": : ]]\n\t'", "x: \u0000\u202e<script>\n", "---\n%YAML 1\n...\n"])(
  "nothing of %j is lost",
  (text) => {
    expect(textOf(text)).toBe(text.replace(/\n$/, ""));
  },
);

test("a thousand lines take a moment", () => {
  const text = Array.from({ length: 1_000 }, (_, at) => `- name: "value ${at}" # ${at}`).join("\n");
  expect(linesOfYaml(text).length).toBe(1_000);
});
