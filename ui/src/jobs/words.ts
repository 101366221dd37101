import { absolute } from "../text/times";
import { firstOf, type Search } from "../url/search";
import { faultText, observedText } from "./failure";
import { kindOf, partsOf } from "./filterable";

const NAMES: Readonly<Record<string, string>> = {
  jobSet: "job set",
  gangId: "gang",
  jobId: "job id",
  clientId: "client id",
  podName: "pod",
  runId: "run",
  exitCode: "exit code",
  keyLine: "key line",
  origin: "fault",
  userCodeRan: "user's code ran",
  verdictReason: "reason of the verdict",
  action: "verdict",
  firstAt: "first heard of",
  failedAt: "failed",
  endedAt: "ended",
  categories: "any matched category",
  grade: "how sure the advice is",
};

const COMPARED: Readonly<Record<string, string>> = {
  startsWith: "begins with",
  contains: "contains",
  gte: "at least",
  gt: "more than",
  lte: "at most",
  lt: "less than",
};
const TIMED: Readonly<Record<string, string>> = {
  gte: "not before",
  gt: "after",
  lte: "not after",
  lt: "before",
};

/** A column in words. */
export function columnText(column: string): string {
  return NAMES[column] ?? column;
}

/** How a column is compared, in words. */
export function operatorText(column: string, operator: string): string {
  if (operator === "") return kindOf(column) === "pair" ? "has" : "is";
  return (kindOf(column) === "time" ? TIMED : COMPARED)[operator] ?? operator;
}

/** A filter in words, with times in a zone: `exit code at least 128`, `category: gpu or oom`. */
export function filterText(name: string, values: readonly string[], zone?: string): string {
  const [value = ""] = values;
  if (name === "since" || name === "until") return `${name} ${boundText(value, zone)}`;
  const [column, operator] = partsOf(name);
  if (operator === "exists") return value === "true" ? `has a ${columnText(column)}` : `no ${columnText(column)}`;
  const compared = operator === "" ? ":" : ` ${operatorText(column, operator)}`;
  const texts = values.map((value) => valueText(column, value, zone));
  return `${columnText(column)}${compared} ${listed(texts, kindOf(column) === "pair" ? "and" : "or")}`;
}

const MOST_LISTED = 4;

function listed(texts: readonly string[], last: string): string {
  if (texts.length > MOST_LISTED)
    return `${texts.slice(0, MOST_LISTED - 1).join(", ")} ${last} ${texts.length - 3} more`;
  if (texts.length < 2) return texts.join();
  return `${texts.slice(0, -1).join(", ")} ${last} ${texts.at(-1)}`;
}

function valueText(column: string, value: string, zone: string | undefined): string {
  if (column === "origin") return faultText(value);
  if (kindOf(column) === "time") return absolute(value, zone);
  if (kindOf(column) === "flag") return value === "true" ? "yes" : "no";
  return column === "state" ? stateText(value) : value;
}

/** A state by which jobs are found. */
export function stateText(state: string): string {
  return state === "any-failure" ? "any failure" : observedText(state);
}

/** From when to when jobs are listed. */
export function windowText(query: Search, zone?: string): string {
  const [since, until] = [firstOf(query, "since"), firstOf(query, "until")];
  if (since === undefined && until === undefined) return "first heard of at any time";
  const from = since === undefined || since === "beginning" ? "" : ` from ${boundText(since, zone)}`;
  return `first heard of${from} until ${until === undefined ? "now" : boundText(until, zone)}`;
}

function boundText(value: string, zone: string | undefined): string {
  if (value === "beginning") return "the beginning";
  return /^\d+[smhd]$/.test(value) ? `${value} ago` : absolute(value, zone);
}
