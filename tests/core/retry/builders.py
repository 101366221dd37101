"""Failures and policies as a table writes them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from agent.core.classify.matchers.category import Category, FailureCategory
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.corroborated import Corroborated
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.min_grade import MinGrade
from agent.core.classify.matchers.node_conditions import NodeCondition, NodeConditions
from agent.core.classify.matchers.origin import FailureOrigin
from agent.core.classify.matchers.registry import AllOf, Matcher, RetryMatcher
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Pattern
from agent.core.evidence import Condition, Container, ContainerKind, ContainerState, Event, Node, Pod, StateKind
from agent.core.failure import Classification, Failure, Grade, Match, Occurrence, Origin, Trust, UserCode
from agent.core.limit import Charge
from agent.core.retry.choices import Action, Avoidance, AvoidScope, Exhausted, PolicyMode, Strength
from agent.core.retry.compiled import CompiledPolicy, compile_policy
from agent.core.retry.dialect import V1, V1BETA1
from agent.core.retry.effective import InEffect, in_effect
from agent.core.retry.growth import MemoryGrowth
from agent.core.retry.policy import AntiAffinity, BackoffPolicy, GiveUp, RetryPolicy, Rule, Window
from agent.core.run import RunFacts

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
RUN = RunFacts(lineage="job-1", node="node-1", grace_period=timedelta(seconds=30))

Row = Mapping[str, Any]


def containers(rows: Sequence[Row]) -> tuple[Container, ...]:
    return tuple(_container(row) for row in rows)


def _container(row: Row) -> Container:
    waiting = row.get("waiting")
    state = ContainerState(
        kind=StateKind.TERMINATED if "exitCode" in row else StateKind.WAITING if waiting else StateKind.RUNNING,
        exit_code=row.get("exitCode"),
        reason=row.get("reason", waiting or ""),
        message=row.get("message", ""),
        signal=row.get("signal"),
        finished_at=row.get("finishedAt"),
    )
    return Container(
        name=row["name"],
        kind=ContainerKind(row.get("kind", "app")),
        state=state,
        ended=state if state.kind is StateKind.TERMINATED else None,
    )


def failure(row: Row) -> Failure:
    """A failure; without a category it is ``none``."""
    category, *_ = categories = tuple(row.get("categories", ["none"]))
    return Failure(
        occurrence=Occurrence(row.get("occurrence", "pod-failed")),
        classification=Classification(
            category=category,
            subcategory=row.get("subcategory", ""),
            origin=Origin(row.get("origin", "unknown")),
            corroborated=row.get("corroborated"),
            grade=Grade(row["grade"]) if "grade" in row else None,
            matched=category != "none",
            categories=() if category == "none" else categories,
            matches=tuple(_match(match) for match in row.get("matches", ())),
        ),
        user_code=UserCode(),
        culprit_container=row.get("culprit", ""),
        pod=Pod(
            phase="Failed",
            reason=row.get("reason", ""),
            conditions=_conditions(row.get("conditions", ())),
            containers=containers(row.get("containers", ())),
        ),
        events=tuple(Event(reason=reason) for reason in row.get("events", ())),
        node=Node(name="node-1", conditions=_conditions(row["node"])) if "node" in row else None,
    )


def _conditions(rows: Sequence[Row]) -> tuple[Condition, ...]:
    return tuple(
        Condition(type=row["type"], status=row.get("status", "True"), reason=row.get("reason", "")) for row in rows
    )


def _match(row: Row) -> Match:
    return Match(
        category=row["category"],
        rule_index=0,
        matcher="onTerminationMessage",
        where=row.get("where", "somewhere"),
        text=row.get("text", "text"),
        trust=Trust(row.get("trust", "system")),
        container=row.get("container", ""),
    )


def rule(row: Row) -> Rule:
    """A rule in the spelling of the file."""
    return Rule(
        matcher=_matcher(row),
        action=Action(row.get("action", "Retry")),
        name=row.get("name"),
        container=row.get("containerName"),
        include_init=row.get("includeInitContainers", False),
        retry_limit=row.get("retryLimit"),
        backoff=backoff(row.get("backoff", {})),
        anti_affinity=anti_affinity(row.get("antiAffinity", {})),
        memory=MemoryGrowth(**row["memory"]) if "memory" in row else None,
        charge=Charge(row["charge"]) if "charge" in row else None,
        give_up=give_up(row),
        window=window(row),
    )


def _matcher(row: Row) -> Matcher:
    if "allOf" in row:
        return AllOf(matchers=tuple(_single(part) for part in row["allOf"]))
    return _single(row)


def _single(row: Row) -> RetryMatcher:  # noqa: PLR0911 - one return a kind of matcher
    if "corroborated" in row:
        return Corroborated(value=row["corroborated"])
    if "minGrade" in row:
        return MinGrade(least=Grade(row["minGrade"]))
    if "onOrigin" in row:
        return FailureOrigin(origins=tuple(Origin(origin) for origin in row["onOrigin"]))
    if "onSignals" in row:
        return Signals(values=frozenset(row["onSignals"]))
    if "onNodeConditions" in row:
        return NodeConditions(any_of=tuple(NodeCondition(**condition) for condition in row["onNodeConditions"]))
    if "onExitCodes" in row:
        given = row["onExitCodes"]
        return ExitCodes(operator=Operator(given["operator"]), values=frozenset(given["values"]))
    if "onConditions" in row:
        return Conditions(names=tuple(row["onConditions"]))
    if "onTerminationMessage" in row:
        return TerminationMessage(pattern=Pattern(text=row["onTerminationMessage"]["pattern"]))
    if "onFailureCategory" in row:
        return FailureCategory(names=tuple(row["onFailureCategory"]))
    return Category(category=row["onCategory"], subcategory=row.get("onSubcategory"))


def backoff(row: Row) -> BackoffPolicy:
    return BackoffPolicy(
        initial=_seconds(row.get("initialDelay")),
        maximum=_seconds(row.get("maxDelay")),
        multiplier=row.get("multiplier"),
        jitter=row.get("jitter"),
        reset_after=_seconds(row.get("resetAfter")),
    )


def give_up(row: Row) -> GiveUp | None:
    seconds = row.get("giveUpAfter")
    return None if seconds is None else GiveUp(timedelta(seconds=seconds), row.get("countWaiting", True))


def window(row: Row) -> Window | None:
    given = row.get("window")
    return None if given is None else Window(given["retries"], timedelta(seconds=given["per"]))


def anti_affinity(row: Row) -> AntiAffinity:
    return AntiAffinity(
        mode=Avoidance(row["mode"]) if "mode" in row else None,
        strength=Strength(row["strength"]) if "strength" in row else None,
        scope=AvoidScope(row["scope"]) if "scope" in row else None,
        expire_after=_seconds(row.get("expireAfter")),
        max_nodes=row.get("maxNodes"),
        exhausted=Exhausted(row["exhausted"]) if "exhausted" in row else None,
    )


def _seconds(number: float | None) -> timedelta | None:
    return None if number is None else timedelta(seconds=number)


def policy(row: Row) -> RetryPolicy:
    action = row.get("defaultAction")
    return RetryPolicy(
        name=row.get("name", "p"),
        rules=tuple(rule(written) for written in row.get("rules", ())),
        default_action=None if action is None else Action(action),
        retry_limit=row.get("retryLimit"),
        backoff=backoff(row.get("backoff", {})),
        anti_affinity=anti_affinity(row.get("antiAffinity", {})),
        budgets={Charge(name): limit for name, limit in row.get("budgets", {}).items()},
        give_up=give_up(row),
        window=window(row),
        mode=PolicyMode(row.get("mode", "live")),
        usable_by_annotation=row.get("usableByAnnotation", True),
        dialect={"v1": V1, "v1beta1": V1BETA1}[row.get("dialect", "v1")],
    )


def compiled(*rows: Row) -> tuple[CompiledPolicy, ...]:
    return tuple(compile_policy(policy(row)) for row in rows)


def effective(*rows: Row) -> InEffect:
    """Policies that are in effect together."""
    return in_effect(compiled(*rows))
