import type { operations } from "../api/schema";
import type { Search } from "../url/search";

type Known = keyof NonNullable<operations["find_jobs"]["parameters"]["query"]>;

/** What a column holds decides how it is compared. */
type Kind = "text" | "number" | "time" | "flag" | "pair" | readonly string[];

export const STATES = [
  "any-failure",
  "still-failed",
  "recovered",
  "waiting",
  "queued",
  "leased",
  "pending",
  "running",
  "retry-waiting",
  "stopping",
  "succeeded",
  "failed",
  "cancelled",
] as const;
export const ORIGINS = ["infra", "platform", "user", "unknown"] as const;
export const SORTS = ["-firstAt", "firstAt", "queue", "-queue", "jobSet", "-jobSet", "owner", "-owner"] as const;

const COLUMNS: Readonly<Record<string, Kind>> = {
  queue: "text",
  jobSet: "text",
  namespace: "text",
  owner: "text",
  gangId: "text",
  jobId: "text",
  name: "text",
  clientId: "text",
  state: STATES,
  cluster: "text",
  node: "text",
  podName: "text",
  runId: "text",
  attempt: "number",
  category: "text",
  subcategory: "text",
  origin: ORIGINS,
  grade: ["proven", "likely", "unknown"],
  exitCode: "number",
  container: "text",
  reason: "text",
  mechanism: "text",
  occurrence: "text",
  keyLine: "text",
  fingerprint: "text",
  userCodeRan: "flag",
  detail: "pair",
  action: ["retry", "fail"],
  verdictReason: "text",
  policy: "text",
  rule: "text",
} satisfies { [name in Known]?: Kind };

const COMPARED = new Set(["gte", "gt", "lte", "lt"]);
const TIMES = new Set(["firstAt", "endedAt", "failedAt"]);
const ONCE = new Set(["since", "until", "sort"]);
const MOST_VALUES = 100;

/** What the page itself keeps in its address, beside the parameters of the API. */
const OF_THE_PAGE = new Set(["group", "columns", "open", "run"]);

export interface Ignored {
  readonly text: string;
  readonly why: string;
}

/** An address in two parts: what is asked of the API, and what made no sense. */
export interface Reading {
  readonly query: Search;
  readonly ignored: readonly Ignored[];
}

/** Read the parameters of an address. What the API would refuse is left out, and named. */
export function readParameters(search: Search): Reading {
  const query: Record<string, readonly string[]> = {};
  const ignored: Ignored[] = [];
  for (const [name, values] of Object.entries(search)) {
    if (OF_THE_PAGE.has(name)) continue;
    const why = wrongWith(name);
    const fit = why === undefined ? values.filter((value) => fits(name, value)) : [];
    const kept = fit.slice(0, ONCE.has(name) || isSingle(name) ? 1 : MOST_VALUES);
    if (kept.length > 0) query[name] = kept;
    for (const value of values.filter((value) => !kept.includes(value))) {
      ignored.push({ text: `${name}=${value}`, why: why ?? reasonFor(name, fit.includes(value)) });
    }
  }
  return { query, ignored };
}

function reasonFor(name: string, isFit: boolean): string {
  if (isFit) return "there are too many values of it";
  return name.endsWith(".contains") ? "it needs 3 characters or more" : "it cannot have this value";
}

/** Which parts of a list, as those of `columns`, are not known. */
export function unknownParts(search: Search, name: string, known: readonly string[]): readonly Ignored[] {
  const parts = (search[name] ?? []).flatMap((text) => text.split(","));
  return parts
    .filter((part) => !known.includes(part))
    .map((part) => ({ text: `${name}=${part}`, why: "there is no such column" }));
}

/** The filters of a query: all but the order and the time. */
export function filterNames(query: Search): readonly string[] {
  return Object.keys(query).filter((name) => !ONCE.has(name));
}

function wrongWith(name: string): string | undefined {
  if (ONCE.has(name)) return undefined;
  const [column = "", operator, ...more] = name.split(".");
  const kind = kindOf(column);
  if (kind === undefined) return "there is no such filter";
  return more.length === 0 && hasOperator(column, kind, operator) ? undefined : "it is not compared so";
}

function kindOf(column: string): Kind | undefined {
  if (TIMES.has(column)) return "time";
  return Object.hasOwn(COLUMNS, column) ? COLUMNS[column] : undefined;
}

function hasOperator(column: string, kind: Kind, operator: string | undefined): boolean {
  if (operator === undefined) return kind !== "time";
  if (operator === "exists") return kind !== "pair";
  if (operator === "contains") return column === "keyLine";
  if (operator === "startsWith") return kind === "text" && column !== "mechanism" && column !== "occurrence";
  return COMPARED.has(operator) && (kind === "number" || kind === "time");
}

function isSingle(name: string): boolean {
  return name.includes(".") && !name.endsWith(".startsWith");
}

function fits(name: string, value: string): boolean {
  if (value.includes("\0")) return false;
  if (name === "sort") return (SORTS as readonly string[]).includes(value);
  if (name === "since" || name === "until") return isBound(value);
  const [column = "", operator] = name.split(".");
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

function isBound(value: string): boolean {
  return value === "beginning" || /^\d{1,6}[smhd]$/.test(value) || isMoment(value);
}

function isMoment(value: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(value) && !Number.isNaN(Date.parse(value));
}

function isFlag(value: string): boolean {
  return value === "true" || value === "false";
}
