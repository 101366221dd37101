import type { components } from "../api/schema";
import type { Info } from "./queries";

export type NewCorrection = components["schemas"]["NewCorrection"];
export type Origin = components["schemas"]["Origin"];

/** What people fill in; the category with its subcategory, as `CATEGORY/SUBCATEGORY`. */
export interface Filled {
  readonly leaf: string;
  readonly origin: Origin;
  readonly retryable: "" | "yes" | "no";
  readonly reason: string;
}

/** What is posted, or what is wrong with what was filled in. */
export function correctionOf(filled: Filled, failureId: string): NewCorrection | string {
  const [category = "", subcategory, ...rest] = filled.leaf.trim().split("/");
  if (category === "") return "Name the right category, such as memory/limit.";
  if (rest.length > 0 || subcategory === "") return "Write a category, or CATEGORY/SUBCATEGORY with one slash.";
  return {
    failureId,
    category,
    subcategory: subcategory ?? null,
    origin: filled.origin,
    retryable: filled.retryable === "" ? null : filled.retryable === "yes",
    reason: filled.reason.trim(),
  };
}

/** Categories that are near: those of rules that matched, or were refused. */
export function nearOf(info: Info): string[] {
  const { matches = [], hypotheses = [] } = info.classification ?? {};
  const found = [...matches, ...hypotheses.map(({ match }) => match ?? {})];
  const leaves = found.map(({ category, subcategory }) => [category, subcategory].filter((part) => part).join("/"));
  return [...new Set(leaves.filter((leaf) => leaf !== ""))];
}
