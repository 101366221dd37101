"""Failures as a table writes them: a category with one rule, the evidence, and the conditions that the pod ``got``."""

from agent.core.admission.conditions import admission_of
from agent.core.classify.classifier import compile_rules
from agent.core.classify.rules import Category, Order, RuleSet
from agent.core.failure import Advice, Failure, Occurrence, Origin
from agent.core.summary.redaction import Redactor
from agent.core.summary.submission import UNKNOWN, Submission
from agent.core.summary.summary import summarise
from agent.patterns import BacktrackingSearches
from tests.core.classify.tables import Row, evidence_of, rule_of


def failure_of(row: Row, *, submitted: Submission = UNKNOWN) -> Failure:
    evidence = evidence_of(row)
    classifier = compile_rules(_rules(row), searches=BacktrackingSearches(clock=lambda: 0.0))
    occurrence = Occurrence(row.get("occurrence", "pod-failed"))
    given = classifier.classify(evidence)
    return summarise(
        evidence,
        given,
        occurrence=occurrence,
        submitted=submitted,
        redactor=Redactor(),
        admission=admission_of(row.get("got", ()), given),
    )


def _rules(row: Row) -> RuleSet:
    if "rule" not in row:
        return RuleSet()
    given = row["category"]
    rule = rule_of(row["rule"])
    named = type(rule)(matcher=rule.matcher, subcategory=given.get("subcategory", ""), hint=given.get("hint", ""))
    category = Category(
        name=given["name"],
        rules=(named,),
        origin=Origin(given.get("origin", "unknown")),
        advice=Advice(given["advice"]) if "advice" in given else None,
    )
    return RuleSet(categories=(category,), order=Order(row.get("order", "file")))
