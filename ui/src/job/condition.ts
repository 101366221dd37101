interface Condition {
  readonly type?: string;
  readonly status?: string;
}

/** Whether a condition of a node says that something is wrong: it is ready, and nothing else is the case. */
export function isWrongWithNode({ type, status }: Condition): boolean {
  return type === "Ready" ? status !== "True" : status !== "False";
}

const PASSED = new Set(["PodScheduled", "Initialized"]);

/** Whether a condition of a pod that ended says why: it never got so far, or something was to end it. */
export function isWrongWithPod({ type = "", status }: Condition): boolean {
  return PASSED.has(type) ? status !== "True" : type.endsWith("Target") && status === "True";
}
