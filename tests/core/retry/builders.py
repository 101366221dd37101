"""Failures and policies as a table writes them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from agent.core.classify.rules import Operator
from agent.core.evidence import Condition, Container, ContainerKind, ContainerState, Event, Pod, StateKind
from agent.core.failure import Classification, Failure, Match, Occurrence, Trust, UserCode
from agent.core.retry.compiled import CompiledPolicy, compile_policy
from agent.core.retry.policy import (
    Action,
    Avoidance,
    Backoff,
    Category,
    Conditions,
    ExitCodes,
    FailureCategory,
    Matcher,
    RetryPolicy,
    Rule,
    TerminationMessage,
)
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
            matched=category != "none",
            categories=() if category == "none" else categories,
            matches=tuple(_match(match) for match in row.get("matches", ())),
        ),
        user_code=UserCode(),
        pod=Pod(
            phase="Failed",
            reason=row.get("reason", ""),
            conditions=tuple(
                Condition(type=one["type"], status=one.get("status", "True"), reason=one.get("reason", ""))
                for one in row.get("conditions", ())
            ),
            containers=containers(row.get("containers", ())),
        ),
        events=tuple(Event(reason=reason) for reason in row.get("events", ())),
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
    avoidance = row.get("antiAffinity", {}).get("mode")
    return Rule(
        matcher=_matcher(row),
        action=Action(row.get("action", "Retry")),
        name=row.get("name"),
        container=row.get("containerName"),
        include_init=row.get("includeInitContainers", False),
        retry_limit=row.get("retryLimit"),
        backoff=backoff(row.get("backoff", {})),
        avoidance=None if avoidance is None else Avoidance(avoidance),
    )


def _matcher(row: Row) -> Matcher:
    if "onExitCodes" in row:
        given = row["onExitCodes"]
        return ExitCodes(operator=Operator(given["operator"]), values=frozenset(given["values"]))
    if "onConditions" in row:
        return Conditions(names=tuple(row["onConditions"]))
    if "onTerminationMessage" in row:
        return TerminationMessage(pattern=row["onTerminationMessage"]["pattern"])
    if "onFailureCategory" in row:
        return FailureCategory(names=tuple(row["onFailureCategory"]))
    return Category(category=row["onCategory"], subcategory=row.get("onSubcategory"))


def backoff(row: Row) -> Backoff:
    """Seconds as numbers."""
    initial, maximum = row.get("initialDelay"), row.get("maxDelay")
    return Backoff(
        initial=None if initial is None else timedelta(seconds=initial),
        maximum=None if maximum is None else timedelta(seconds=maximum),
        multiplier=row.get("multiplier"),
    )


def policy(row: Row) -> RetryPolicy:
    action = row.get("defaultAction")
    avoidance = row.get("antiAffinity", {}).get("mode")
    return RetryPolicy(
        name=row.get("name", "p"),
        rules=tuple(rule(one) for one in row.get("rules", ())),
        default_action=None if action is None else Action(action),
        retry_limit=row.get("retryLimit"),
        backoff=backoff(row.get("backoff", {})),
        avoidance=None if avoidance is None else Avoidance(avoidance),
    )


def compiled(*rows: Row) -> tuple[CompiledPolicy, ...]:
    return tuple(compile_policy(policy(row)) for row in rows)
