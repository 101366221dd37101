import { expect, it } from "vitest";

import { isWrongWithNode, isWrongWithPod } from "./condition";

it.each([
  ["Ready", "True", false],
  ["Ready", "Unknown", true],
  ["MemoryPressure", "False", false],
  ["XidCriticalError", "True", true],
])("a node whose %s is %s", (type, status, isWrong) => {
  expect(isWrongWithNode({ type, status })).toBe(isWrong);
});

it.each([
  ["PodScheduled", "False", true],
  ["Initialized", "True", false],
  ["DisruptionTarget", "True", true],
  ["ContainersReady", "False", false],
  ["Ready", "False", false],
])("a pod whose %s is %s", (type, status, isWrong) => {
  expect(isWrongWithPod({ type, status })).toBe(isWrong);
});
