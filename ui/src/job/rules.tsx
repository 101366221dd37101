import { visibleLine } from "../text/visible";
import { Lines } from "./lines";
import type { Info } from "./queries";
import { Rows } from "./rows";
import { wordOf } from "./words";

type Classification = NonNullable<Info["classification"]>;
type Match = NonNullable<Classification["matches"]>[number];
type Hypothesis = NonNullable<Classification["hypotheses"]>[number];

/** Which rules matched and where, the one that decided first; and those that were refused, with the reason. */
export function Rules({ info: { classification, check, overruled } }: { info: Info }) {
  if (classification === undefined) return <p className="said">No rules were asked.</p>;
  const { matches = [], hypotheses = [], timedOut = [] } = classification;
  return (
    <>
      <MatchRows classification={classification} matches={matches} />
      <Left count={classification.matchesLeftOut} what="matching rules" />
      <HypothesisRows hypotheses={hypotheses} />
      <Left count={classification.hypothesesLeftOut} what="refused rules" />
      {classification.weak && (
        <p className="said">The rule that decided rests on little: other evidence may show another cause.</p>
      )}
      {check?.check && <p className="said">The check {visibleLine(check.check)} of the agent's settings found it.</p>}
      {overruled !== undefined && (
        <p className="said">
          Without the agent's own finding the rules would have said {visibleLine(leafOf(overruled))}.
        </p>
      )}
      <Lines title="Rules that took too long and were stopped" lines={timedOut} />
      <p className="said">Revision of the rules: {visibleLine(classification.rulesRevision || "not known")}.</p>
    </>
  );
}

/** The category of what the agent finds itself, whatever rules there are. */
const INTERNAL = "internal";
const FOUND = "The agent found this itself, and asked no rule.";
const UNMATCHED =
  "No rule matched: the category is the default of the rules. A rule that names this failure would help.";

/** The first of them decided, if a rule did. */
function MatchRows({ classification, matches }: { classification: Classification; matches: readonly Match[] }) {
  return (
    <Rows
      what="matched rules"
      titles={["Matched rule", "Where", "Text", "Written by"]}
      empty={classification.category === INTERNAL ? FOUND : UNMATCHED}
      rows={matches.map((match, at) => [
        classification.matched && at === 0 ? <Decided key="rule" rule={ruleOf(match)} /> : ruleOf(match),
        visibleLine(match.where ?? ""),
        visibleLine(match.text ?? ""),
        whoOf(match),
      ])}
    />
  );
}

function Decided({ rule }: { rule: string }) {
  return (
    <span>
      <strong>{rule}</strong> (this one decided)
    </span>
  );
}

function HypothesisRows({ hypotheses }: { hypotheses: readonly Hypothesis[] }) {
  if (hypotheses.length === 0) return null;
  return (
    <Rows
      what="refused rules"
      titles={["Other explanation", "What spoke for it", "What spoke against it"]}
      empty=""
      rows={hypotheses.map(({ match, refused }) => [
        ruleOf(match ?? {}),
        visibleLine(`${match?.where ?? ""}: ${match?.text ?? ""}`),
        visibleLine(refused ?? ""),
      ])}
    />
  );
}

function Left({ count, what }: { count: number | undefined; what: string }) {
  return count !== undefined && count > 0 ? (
    <p className="said">
      {count} more {what} are not listed.
    </p>
  ) : null;
}

/** `gpu/xid, rule xid-79 of pack nvidia`. */
function ruleOf(match: Match): string {
  const pack = match.pack ? ` of pack ${match.pack}` : "";
  return visibleLine(`${leafOf(match)}, rule ${match.rule || (match.ruleIndex ?? 0) + 1}${pack}`);
}

function leafOf({ category, subcategory }: Pick<Match, "category" | "subcategory">): string {
  return [category, subcategory].filter((part) => part).join("/");
}

function whoOf(match: Match): string {
  return wordOf(match.trust, "TRUST_") === "system" ? "the system" : "something in the pod";
}
