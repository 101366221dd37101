import type { operations } from "../api/schema";

type Query = Required<NonNullable<operations["find_jobs"]["parameters"]["query"]>>;
type OfThePage = "since" | "until" | "sort" | "after" | "limit" | "count";
type Compared = "firstAt" | "endedAt" | "failedAt";
type Column = Exclude<keyof Query, `${string}.${string}` | OfThePage> | Compared;

/** What a column holds decides how it is compared. Of a `pair` all values must hold, of all others any of them. */
export type Kind = "text" | "number" | "time" | "flag" | "match" | "pair" | readonly string[];

/** How a column is compared. The first is not written: `queue=ml`. */
export type Operator = "" | "startsWith" | "contains" | "gte" | "gt" | "lte" | "lt" | "exists";

/** All values, of which the compiler knows whether one is missing. */
function choice<Value extends string>(values: Readonly<Record<Value, null>>): readonly string[] {
  return Object.keys(values);
}

type Values<Name extends keyof Query> = Query[Name] extends readonly (infer Value extends string)[] ? Value : never;

const STATES = choice<Values<"state">>({
  "any-failure": null,
  "still-failed": null,
  recovered: null,
  waiting: null,
  queued: null,
  leased: null,
  pending: null,
  running: null,
  "retry-waiting": null,
  stopping: null,
  succeeded: null,
  failed: null,
  cancelled: null,
});

const MECHANISMS = choice<Values<"mechanism">>({
  "never-created": null,
  unschedulable: null,
  rejected: null,
  "not-started": null,
  evicted: null,
  preempted: null,
  deleted: null,
  "node-shutdown": null,
  "node-lost": null,
  deadline: null,
  "oom-cgroup": null,
  "oom-node": null,
  "probe-killed": null,
  signalled: null,
  exited: null,
  succeeded: null,
  unknown: null,
});

const OCCURRENCES = choice<Values<"occurrence">>({
  "pod-failed": null,
  "deleted-externally": null,
  missing: null,
  "never-started": null,
  "deadline-exceeded": null,
  "stuck-terminating": null,
  "container-restarted": null,
  "lease-expired": null,
  "never-created": null,
});

/** Every column by which jobs are found, of the job first, then where its runs were, why one failed, and the verdict. */
const KINDS = {
  state: STATES,
  queue: "text",
  name: "text",
  owner: "text",
  namespace: "text",
  jobSet: "text",
  gangId: "text",
  jobId: "text",
  clientId: "text",
  firstAt: "time",
  endedAt: "time",
  cluster: "text",
  node: "text",
  podName: "text",
  runId: "text",
  attempt: "number",
  category: "text",
  subcategory: "text",
  categories: "match",
  origin: choice<Values<"origin">>({ infra: null, platform: null, user: null, unknown: null }),
  container: "text",
  exitCode: "number",
  reason: "text",
  mechanism: MECHANISMS,
  occurrence: OCCURRENCES,
  keyLine: "text",
  fingerprint: "text",
  userCodeRan: "flag",
  detail: "pair",
  grade: choice<Values<"grade">>({ proven: null, likely: null, unknown: null }),
  failedAt: "time",
  action: choice<Values<"action">>({ retry: null, fail: null }),
  verdictReason: "text",
  policy: "text",
  rule: "text",
} as const satisfies Record<Column, Kind>;

/** The same, by what they are about. */
export const SECTIONS = [
  ["The job", columnsFrom("state", "endedAt")],
  ["Where a run was", columnsFrom("cluster", "attempt")],
  ["Why a run failed", columnsFrom("category", "failedAt")],
  ["What was decided", columnsFrom("action", "rule")],
] as const;

function columnsFrom(first: Column, last: Column): readonly string[] {
  const columns = Object.keys(KINDS);
  return columns.slice(columns.indexOf(first), columns.indexOf(last) + 1);
}

/** What a column holds; nothing if there is none with this name. */
export function kindOf(column: string): Kind | undefined {
  return Object.hasOwn(KINDS, column) ? KINDS[column as Column] : undefined;
}

const OPERATORS: Readonly<Record<string, readonly Operator[]>> = {
  text: ["", "startsWith", "exists"],
  number: ["", "gte", "gt", "lte", "lt", "exists"],
  time: ["gte", "gt", "lte", "lt", "exists"],
  flag: ["", "exists"],
  match: [""],
  pair: [""],
};

/** How a column can be compared. */
export function operatorsOf(column: string): readonly Operator[] {
  if (column === "keyLine") return ["contains", "", "startsWith", "exists"];
  const kind = kindOf(column);
  return typeof kind === "object" ? ["", "exists"] : (OPERATORS[kind ?? ""] ?? []);
}

/** The parameter of a column and an operator: `node.startsWith`. */
export function parameterOf(column: string, operator: Operator): string {
  return operator === "" ? column : `${column}.${operator}`;
}

/** The column and the operator of a parameter, neither of which need exist. */
export function partsOf(parameter: string): readonly [column: string, operator: string] {
  const at = parameter.indexOf(".");
  return at < 0 ? [parameter, ""] : [parameter.slice(0, at), parameter.slice(at + 1) || "."];
}

export function hasOperator(column: string, operator: string): operator is Operator {
  return (operatorsOf(column) as readonly string[]).includes(operator);
}

/** Whether a column can be compared with a value. */
export function fits(column: string, operator: string, value: string): boolean {
  if (value.includes("\0")) return false;
  if (operator === "exists") return isFlag(value);
  if (operator === "contains") return value.length >= 3;
  return fitsKind(kindOf(column) ?? "text", value);
}

function fitsKind(kind: Kind, value: string): boolean {
  if (typeof kind === "object") return kind.includes(value);
  if (kind === "number") return /^-?\d{1,10}$/.test(value) && Math.abs(Number(value)) < 2 ** 31;
  if (kind === "time") return isMoment(value);
  if (kind === "pair") return /^[a-z_]+=./.test(value);
  return kind === "flag" ? isFlag(value) : value !== "";
}

/** Whether it is a time with its zone. */
export function isMoment(value: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(value) && !Number.isNaN(Date.parse(value));
}

function isFlag(value: string): boolean {
  return value === "true" || value === "false";
}
