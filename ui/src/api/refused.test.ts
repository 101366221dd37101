import { describe, expect, it } from "vitest";

import type { Problem } from "./client";
import { answered, isAskedAgain, Refused } from "./refused";

const problem = { type: "x", title: "Wrong", status: 400, detail: "no such filter", code: "x", errors: [] } as Problem;

describe("an answer", () => {
  it("that is an error has what the API says", () => {
    const response = new Response("", { status: 400 });
    expect(() => answered({ error: problem, response })).toThrow(new Refused(problem));
    expect(() => answered({ error: "<html>", response })).toThrow(/Status 400/);
    expect(answered({ data: 1, response: new Response() })).toBe(1);
  });

  it.each([
    [0, new Refused(problem), false],
    [0, new Refused({ ...problem, status: 503 }), true],
    [0, new TypeError("not reached"), true],
    [1, new TypeError("not reached"), false],
  ])("after %i failures with %s is asked for again: %s", (failures, error, isAgain) => {
    expect(isAskedAgain(failures, error)).toBe(isAgain);
  });
});
