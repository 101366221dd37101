import { describe, expect, it } from "vitest";

import { type Container, culpritOf, endOf, failedOf, ranOf, saidOf, userCodeText, whoseOf } from "./container";
import type { Info } from "./queries";

describe("a container", () => {
  it.each<[Container, string]>([
    [{ state: { kind: "STATE_KIND_TERMINATED", exitCode: 137, reason: "OOMKilled" } }, "exit 137, OOMKilled"],
    [
      { state: { kind: "STATE_KIND_TERMINATED", exitCode: 139, reason: "Error", signal: 11 } },
      "exit 139, Error, signal 11",
    ],
    [{ state: { kind: "STATE_KIND_TERMINATED", exitCode: 0, reason: "" } }, "exit 0"],
    [{ state: { kind: "STATE_KIND_WAITING", reason: "ImagePullBackOff" } }, "waiting, ImagePullBackOff"],
    [{ state: { kind: "STATE_KIND_UNSPECIFIED" } }, "not reported"],
    [{}, "not reported"],
    [
      {
        ended: "ENDED_STATE_LAST",
        state: { kind: "STATE_KIND_WAITING", reason: "CrashLoopBackOff" },
        lastState: { kind: "STATE_KIND_TERMINATED", exitCode: 1, reason: "Error" },
      },
      "exit 1, Error; then started again",
    ],
  ])("%j: %s", (container, text) => {
    expect(endOf(container)).toBe(text);
  });

  it("is somebody's, or that is not known", () => {
    expect(whoseOf({ injected: "TRISTATE_YES" })).toBe("injected");
    expect(whoseOf({ injected: "TRISTATE_NO" })).toBe("submitted");
    expect(whoseOf({ injected: "TRISTATE_UNKNOWN" })).toBe("not known");
    expect(whoseOf({})).toBe("not known");
  });

  it.each<[Container, string]>([
    [{ name: "main", state: { exitCode: 1 } }, "(this one failed)"],
    [{ name: "proxy", state: { exitCode: 143 } }, "(failed too)"],
    [{ name: "proxy", ended: "ENDED_STATE_LAST", state: {}, lastState: { exitCode: 1 } }, "(failed too)"],
    [{ name: "proxy", state: { exitCode: 0 } }, ""],
    [{ name: "", state: { kind: "STATE_KIND_RUNNING" } }, ""],
  ])("%j beside the culprit main: %j", (container, failed) => {
    expect(failedOf(container, "main")).toBe(failed);
  });

  it("without a name is not the culprit of a failure that has none", () => {
    expect(failedOf({ name: "" }, "")).toBe("");
  });
});

describe("the user's code", () => {
  it.each<[Info["userCode"], string]>([
    [undefined, ""],
    [{ ran: "TRISTATE_YES" }, "The user's code ran."],
    [
      { ran: "TRISTATE_NO", reason: "the Job lists the containers" },
      "The user's code did not run. Submitted or injected: the Job lists the containers.",
    ],
    [{ ran: "TRISTATE_UNSPECIFIED" }, "Whether the user's code ran is not known."],
  ])("%j: %s", (code, text) => {
    expect(userCodeText(code)).toBe(text);
  });
});

describe("the container that failed", () => {
  const matches = [{ container: "waits" }, { container: "other" }];

  it.each<[Pick<Info, "culpritContainer" | "classification">, string]>([
    [{ culpritContainer: "main", classification: { matches } }, "main"],
    [{ culpritContainer: "", classification: { matches } }, "waits"],
    [{ classification: { matches: [{ container: "" }] } }, ""],
    [{}, ""],
  ])("of %j is %j", (info, name) => {
    expect(culpritOf(info)).toBe(name);
  });
});

describe("what a container did before it ended", () => {
  const waits: Container = { state: { kind: "STATE_KIND_WAITING", message: "Back-off pulling image" } };
  const ended: Container = {
    ended: "ENDED_STATE_LAST",
    state: { kind: "STATE_KIND_RUNNING", startedAt: "2026-11-26T12:10:00Z" },
    lastState: {
      kind: "STATE_KIND_TERMINATED",
      message: "boom\n",
      startedAt: "2026-11-26T12:00:00Z",
      finishedAt: "2026-11-26T12:02:05Z",
    },
  };

  it("is how long it ran, if that is known", () => {
    expect([ranOf(ended), ranOf(waits)]).toEqual(["2 min 5 s", ""]);
  });

  it("is what was said, unless that is shown as its termination message", () => {
    expect([saidOf(waits, ""), saidOf(ended, "other"), saidOf(ended, "boom")]).toEqual([
      "Back-off pulling image",
      "boom\n",
      "",
    ]);
  });
});
