import { describe, expect, it } from "vitest";

import { fits, kindOf, operatorsOf, parameterOf, partsOf, SECTIONS } from "./filterable";

describe("a column by which jobs are found", () => {
  it("is in one section", () => {
    const columns = SECTIONS.flatMap(([, columns]) => columns);
    expect(new Set(columns).size).toBe(columns.length);
    expect(columns).toHaveLength(35);
    expect(columns.every((column) => kindOf(column) !== undefined && operatorsOf(column).length > 0)).toBe(true);
  });

  it.each([
    ["queue", ["", "startsWith", "exists"]],
    ["keyLine", ["contains", "", "startsWith", "exists"]],
    ["exitCode", ["", "gte", "gt", "lte", "lt", "exists"]],
    ["endedAt", ["gte", "gt", "lte", "lt", "exists"]],
    ["origin", ["", "exists"]],
    ["categories", [""]],
    ["detail", [""]],
    ["constructor", []],
  ])("%s is compared by %j", (column, operators) => {
    expect(operatorsOf(column)).toEqual(operators);
  });

  it.each([
    ["queue", ["queue", ""]],
    ["queue.", ["queue", "."]],
    ["queue.startsWith", ["queue", "startsWith"]],
    ["queue.startsWith.exists", ["queue", "startsWith.exists"]],
  ])("%s has the parts %j", (parameter, parts) => {
    expect(partsOf(parameter)).toEqual(parts);
  });

  it("has a parameter for each operator", () => {
    expect(operatorsOf("attempt").map((operator) => parameterOf("attempt", operator))).toEqual([
      "attempt",
      "attempt.gte",
      "attempt.gt",
      "attempt.lte",
      "attempt.lt",
      "attempt.exists",
    ]);
  });

  it.each([
    ["mechanism", "", "oom-cgroup", true],
    ["mechanism", "", "oom", false],
    ["exitCode", "gte", "-1", true],
    ["exitCode", "gte", "1.5", false],
    ["failedAt", "gt", "2026-11-26T12:00:00Z", true],
    ["failedAt", "gt", "2026-11-26T12:00:00", false],
    ["userCodeRan", "", "yes", false],
    ["detail", "", "rank=0", true],
    ["detail", "", "rank", false],
  ])("%s %s fits %s: %s", (column, operator, value, isFit) => {
    expect(fits(column, operator, value)).toBe(isFit);
  });
});
