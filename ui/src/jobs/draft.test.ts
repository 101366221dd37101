import { describe, expect, it } from "vitest";

import { followed } from "./draft";

describe("a field whose address changed", () => {
  it("keeps what was typed since it changed it", () => {
    expect(followed({ text: "cuda err", seen: "", own: "cuda" }, "cuda")).toEqual({
      text: "cuda err",
      seen: "cuda",
      own: "cuda",
    });
  });

  it("follows Back, and begins a new step", () => {
    expect(followed({ text: "cuda", seen: "cuda", own: "cuda" }, "")).toEqual({ text: "", seen: "" });
  });

  it("follows a link", () => {
    expect(followed({ text: "", seen: "" }, "nccl")).toEqual({ text: "nccl", seen: "nccl" });
  });
});
