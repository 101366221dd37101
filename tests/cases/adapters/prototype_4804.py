"""Upstream's prototype 4804 compiled to our core: matchers of a rule are joined, and a limit of 0 is no limit.

Source: armadaproject/armada#4804.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from agent.core.classify.matchers.category import Category, FailureCategory
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.registry import AllOf, RetryMatcher
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Pattern
from agent.core.classify.pattern import PatternError, compile_pattern
from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.evidence import Pod
from agent.core.failure import Classification, Failure, Occurrence, UserCode
from agent.core.history import History
from agent.core.limit import Counted, Reason, VerdictAction
from agent.core.retry.choices import Action
from agent.core.retry.compiled import compile_policy
from agent.core.retry.dialect import Dialect
from agent.core.retry.effective import in_effect
from agent.core.retry.policy import RetryPolicy, RetrySettings, Rule
from agent.core.run import RunFacts
from tests.cases.adapter import Differs, Run, expect
from tests.cases.adapters.armada_failures import PREEMPTED, classified, containers_of
from tests.cases.case import Case

Row = Mapping[str, Any]

DIALECT = Dialect(name="prototype 4804", limit=Counted.UNDISTURBED)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
CONDITION = "condition:"
"""What its conditions are compiled to: further categories of the failure, which no category of its own begins with."""
KUBERNETES = {"OOM": "OOMKilled"}
OPERATORS = {"In": "In", "NotIn": "NotIn", "EXIT_CODE_OPERATOR_IN": "In", "EXIT_CODE_OPERATOR_NOT_IN": "NotIn"}
ACTIONS = ("Fail", "Retry")


class Refused(ValueError):
    """A policy that the prototype refuses, in its words."""


def condition(row: Row | None) -> str:
    """The one condition of a run error; empty where it has none."""
    if row is None or row.get("inner", row) is None:
        return ""
    if row["reason"] == "podError":
        reason = row.get("kubernetesReason", "")
        return str(KUBERNETES.get(reason, reason))
    return {"jobRunPreemptedError": "Preempted", "podLeaseReturned": "LeaseReturned"}.get(str(row["reason"]), "")


def exit_code(errors: Sequence[Row]) -> int:
    """The first code that is not 0; else 0."""
    return next((code for one in errors if (code := one.get("exitCode", 0))), 0)


def termination_message(errors: Sequence[Row]) -> str:
    """The first message that is not empty, of whichever container."""
    return str(next((text for one in errors if (text := one.get("message", ""))), ""))


def category(row: Row | None) -> str:
    """The category; empty where there is none."""
    return (row or {}).get("failureCategory") or ""


def subcategory(row: Row | None) -> str:
    """The subcategory; empty where there is none."""
    return (row or {}).get("failureSubcategory") or ""


def failure(row: Row) -> Failure:
    """The failure, with one container that has the code and the message that the prototype looks at."""
    errors = row.get("containerErrors") or ()
    seen = condition(row)
    given = classified({"failureCategory": category(row), "failureSubcategory": subcategory(row)})
    ended = [{"name": "main", "exitCode": exit_code(errors), "message": termination_message(errors)}]
    return Failure(
        occurrence=Occurrence.POD_FAILED,
        classification=with_condition(given, seen),
        user_code=UserCode(),
        pod=Pod(
            phase="Failed",
            conditions=(PREEMPTED,) if seen == "Preempted" else (),
            containers=containers_of(ended if errors else (), reason="Error"),
        ),
    )


def with_condition(given: Classification, seen: str) -> Classification:
    """The classification with a condition as one more category."""
    return replace(given, categories=(*given.categories, CONDITION + seen)) if seen else given


def compiled(policy: Row) -> RetryPolicy:
    default = policy.get("defaultAction") or ""
    if default not in ACTIONS:
        raise Refused(f'DefaultAction must be "Fail" or "Retry", got "{default}": unknown action')
    rules = tuple(_rule(number, rule) for number, rule in enumerate(policy.get("rules") or ()))
    limit = policy.get("retryLimit") or None
    return RetryPolicy(
        name=policy["name"], rules=rules, default_action=Action(default), retry_limit=limit, dialect=DIALECT
    )


def _rule(number: int, row: Row) -> Rule:
    action = row.get("action") or ""
    if action not in ACTIONS:
        raise Refused(f'rule {number}: Action must be "Fail" or "Retry", got "{action}": unknown action')
    if row.get("onSubcategory") and not row.get("onCategory"):
        raise Refused(f"rule {number}: OnSubcategory requires OnCategory to be set")
    matchers = tuple(one for one in (conditions(row), codes(number, row), message(number, row), named(row)) if one)
    if not matchers:
        raise Refused(f"rule {number}: must have at least one match field")
    return Rule(matcher=matchers[0] if len(matchers) == 1 else AllOf(matchers=matchers), action=Action(action))


def conditions(row: Row) -> RetryMatcher | None:
    """``onConditions``."""
    names = tuple(CONDITION + name for name in row.get("onConditions") or ())
    return FailureCategory(names=names) if names else None


def codes(number: int, row: Row) -> RetryMatcher | None:
    """``onExitCodes``."""
    given = row.get("onExitCodes")
    if not given:
        return None
    if given.get("operator") not in OPERATORS:
        raise Refused(f'rule {number}: OnExitCodes operator must be "In" or "NotIn", got "{given.get("operator")}"')
    if not given.get("values"):
        raise Refused(f"rule {number}: OnExitCodes values must not be empty")
    return ExitCodes(operator=Operator(OPERATORS[given["operator"]]), values=frozenset(given["values"]))


def message(number: int, row: Row) -> RetryMatcher | None:
    """``onTerminationMessage``."""
    given = row.get("onTerminationMessage")
    pattern = row.get("onTerminationMessagePattern") if given is None else given.get("pattern")
    if given is None and pattern is None:
        return None
    if not pattern:
        raise Refused(f"rule {number}: OnTerminationMessage pattern must not be empty")
    try:
        compile_pattern(pattern)
    except PatternError as error:
        raise Refused(f"rule {number}: failed to compile termination message pattern {pattern!r}: {error}") from error
    return TerminationMessage(pattern=Pattern(text=pattern))


def named(row: Row) -> RetryMatcher | None:
    """``onCategory`` and ``onSubcategory``."""
    name = row.get("onCategory")
    return Category(category=name, subcategory=row.get("onSubcategory") or None) if name else None


def decided(policy: RetryPolicy, row: Row, *, failures: int, runs: int, cap: int | None) -> Verdict:
    """The verdict after so many failures, this one included where it is one, and so many runs in all."""
    history = History(granted={"all": max(runs - 1, 0)}, undisturbed=max(failures - 1, 0))
    settings = RetrySettings(enabled=True, global_max_retries=cap)
    policies = in_effect([compile_policy(policy)])
    return decide(
        failure(row), run=RunFacts(lineage="job"), history=history, policies=policies, settings=settings, now=NOW
    )


def run_case(case: Case) -> None:
    data, counts = case.data, case.data["counts"]
    if data["failure"] is None:
        got: dict[str, Any] = {"shouldRetry": False, "reason": "no error information available"}
    else:
        cap = data["globalMaxRetries"] or None
        policy = compiled(data["policy"])
        verdict = decided(policy, data["failure"], failures=counts["failures"], runs=counts["totalRuns"], cap=cap)
        got = {"shouldRetry": verdict.action is VerdictAction.RETRY, "reason": _words(verdict)}
    expect(data["expect"], {name: got[name] for name in data["expect"]}, of="verdict")


def _words(verdict: Verdict) -> str:
    """The reason in its words; it asks the cap first, and then no rule."""
    told = verdict.explanation
    limits = {limit.reason: limit for limit in told.limits}
    cap = limits.get(Reason.GLOBAL_LIMIT)
    if cap is not None and not cap.allowed:
        return f"global max retries exceeded ({cap.used}/{cap.limit})"
    if verdict.reason is Reason.POLICY_LIMIT:
        limit = limits[Reason.POLICY_LIMIT]
        return f"policy retry limit exceeded ({limit.used}/{limit.limit})"
    decider = told.decider
    if decider is not None and decider.rule:
        return f"matched rule: {decider.action}"
    return "no rule matched, using default action"


def run_validation(case: Case) -> None:
    """A policy, or rules alone, that it takes or refuses."""
    data = case.data
    policy = data.get("policy") or {"name": "test", "defaultAction": "Fail", "rules": data.get("policyRules")}
    refused(lambda: compiled(policy), data)


def refused(compile_it: Any, data: Row) -> None:  # noqa: ANN401 - any call
    """Call, and hold whether it was refused, and how, against what the case expects."""
    try:
        compile_it()
    except Refused as error:
        if "expectError" not in data or data["expectError"] not in str(error):
            raise Differs(f"refused: {error}") from error
        return
    if "expectError" in data:
        raise Differs(f"expected an error with {data['expectError']!r}, got none")


def run_convert(case: Case) -> None:
    """A policy of its API; what is expected is prose, so each matcher must come through."""
    data = case.data
    policy = data["policy"]

    def convert() -> None:
        if policy is None:
            raise Refused("retry policy is nil")
        try:
            got = compiled(policy)
        except Refused as error:
            raise Refused(f'retry policy "{policy["name"]}": {error}') from error
        wanted = [len(_fields(row)) for row in policy["rules"]]
        expect(wanted, [_count(rule) for rule in got.rules], of="matchers by rule")
        expect(policy["retryLimit"], got.retry_limit or 0, of="retryLimit")

    refused(convert, data)


def _fields(row: Row) -> list[str]:
    return [name for name in row if name.startswith("on") and name != "onSubcategory" and row[name]]


def _count(rule: Rule) -> int:
    return len(rule.matcher.matchers) if isinstance(rule.matcher, AllOf) else 1


def run_extract_condition(case: Case) -> None:
    """The condition of a run error."""
    expect(case.data["expect"], condition(case.data["failure"]), of="condition")


def run_extract_exit_code(case: Case) -> None:
    """The exit code of a run error."""
    expect(case.data["expect"], exit_code(case.data.get("containerErrors") or ()), of="exit code")


def run_extract_message(case: Case) -> None:
    """The message of a run error."""
    expect(case.data["expect"], termination_message(case.data.get("containerErrors") or ()), of="message")


def run_extract_category(case: Case) -> None:
    """The category of a run error."""
    expect(case.data["expect"], category(case.data), of="category")


def run_extract_subcategory(case: Case) -> None:
    """The subcategory of a run error."""
    expect(case.data["expect"], subcategory(case.data), of="subcategory")


RUNS: Mapping[str, Run] = {
    "prototype_4804.cases": run_case,
    "prototype_4804.validation": run_validation,
    "prototype_4804.convert": run_convert,
    "prototype_4804.extract.condition": run_extract_condition,
    "prototype_4804.extract.exitCode": run_extract_exit_code,
    "prototype_4804.extract.terminationMessage": run_extract_message,
    "prototype_4804.extract.category": run_extract_category,
    "prototype_4804.extract.subcategory": run_extract_subcategory,
}
