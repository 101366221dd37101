import { describe, expect, it } from "vitest";

import {
  attemptsOf,
  categoryOf,
  endingOf,
  faultText,
  type Job,
  latestFailure,
  markedFault,
  type Run,
  reasonOf,
  standingOf,
} from "./failure";

function run(values: Partial<Run>): Run {
  return { category: "", subcategory: "", container: "", reason: "", mechanism: "", occurrence: "", ...values } as Run;
}

describe("a failure", () => {
  it.each([
    [{ exitCode: 137, reason: "OOMKilled", container: "main" }, "main: exit 137, OOMKilled"],
    [{ exitCode: 0, reason: "" }, "exit 0"],
    [{ exitCode: null, reason: "Evicted" }, "Evicted"],
    [{ exitCode: null, mechanism: "node-lost" }, "node lost"],
    [{ exitCode: null, container: "main", occurrence: "never-started" }, "main: never started"],
    [{ exitCode: null }, ""],
  ])("%j ended so: %s", (values, text) => {
    expect(endingOf(run(values))).toBe(text);
  });

  it("is named by its category", () => {
    expect(categoryOf(run({ category: "gpu", subcategory: "xid" }))).toBe("gpu/xid");
    expect(categoryOf(run({ category: "oom" }))).toBe("oom");
    expect(categoryOf(run({}))).toBe("not classified");
    expect(faultText("infra")).toBe("infra");
    expect(faultText("")).toBe("unknown");
  });

  it.each([
    [{ exitCode: 1, container: "main", keyLine: "CUDA error" }, "main: exit 1: CUDA error"],
    [{ exitCode: null, reason: "Evicted" }, "Evicted"],
    [{ exitCode: null, category: "oom" }, "oom"],
  ])("%j has the reason %s", (values, text) => {
    expect(reasonOf(run({ keyLine: "", ...values }))).toBe(text);
  });

  it.each([
    [{ origin: "infra", corroborated: false }, "infra?"],
    [{ origin: "infra", corroborated: true }, "infra"],
    [{ origin: "user", corroborated: null }, "user"],
  ])("%j is the fault of %s", (values, text) => {
    expect(markedFault(run(values as Partial<Run>))).toBe(text);
  });

  it("of a job that recovered is the last before it did", () => {
    const [ended, failed] = [run({ failedAt: null }), run({ failedAt: "2026-11-26T12:00:00Z" })];
    expect(latestFailure({ runs: [ended, failed] } as unknown as Job)).toBe(failed);
    expect(latestFailure({ runs: [ended] } as unknown as Job)).toBeUndefined();
  });

  it("is not known before the first run of a job, which stands as its record says", () => {
    expect(standingOf({ observed: "", state: "queued" } as Job)).toBe("queued");
    expect(standingOf({ observed: "still-failed", state: "failed" } as Job)).toBe("still-failed");
  });

  it("counts", () => {
    expect(attemptsOf({ runCount: 1, failedRunCount: 0 } as Job)).toBe("1");
    expect(attemptsOf({ runCount: 3, failedRunCount: 2 } as Job)).toBe("3, 2 failed");
  });
});
