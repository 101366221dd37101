import { absolute } from "../text/times";
import { firstOf, type Search } from "../url/search";
import { faultText, observedText } from "./failure";

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
};

const OPERATORS: Readonly<Record<string, string>> = {
  startsWith: "begins with",
  contains: "contains",
  gte: "at least",
  gt: "more than",
  lte: "at most",
  lt: "less than",
};

/** A column in words. */
export function columnText(column: string): string {
  return NAMES[column] ?? column;
}

/** A filter in words: `exit code at least 128`. */
export function filterText(name: string, value: string): string {
  if (name === "since" || name === "until") return `${name} ${boundText(value)}`;
  const [column = "", operator] = name.split(".");
  if (operator === "exists") return value === "true" ? `has a ${columnText(column)}` : `no ${columnText(column)}`;
  const compared = operator === undefined ? ":" : ` ${OPERATORS[operator] ?? operator}`;
  return `${columnText(column)}${compared} ${valueText(column, value)}`;
}

function valueText(column: string, value: string): string {
  if (column === "origin") return faultText(value);
  return column === "state" ? stateText(value) : value;
}

/** A state by which jobs are found. */
export function stateText(state: string): string {
  return state === "any-failure" ? "any failure" : observedText(state);
}

/** From when to when jobs are listed. */
export function windowText(query: Search): string {
  const [since, until] = [firstOf(query, "since"), firstOf(query, "until")];
  if (since === undefined && until === undefined) return "first heard of at any time";
  const from = since === undefined || since === "beginning" ? "" : ` from ${boundText(since)}`;
  return `first heard of${from} until ${until === undefined ? "now" : boundText(until)}`;
}

function boundText(value: string): string {
  if (value === "beginning") return "the beginning";
  return /^\d+[smhd]$/.test(value) ? `${value} ago` : absolute(value);
}
