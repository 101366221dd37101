"""Reads the rows of the YAML tables beside this file into core values."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.log_tail import LogTail
from agent.core.classify.matchers.namespaces import Namespaces
from agent.core.classify.matchers.node_conditions import NodeCondition, NodeConditions
from agent.core.classify.matchers.node_log import NodeLog
from agent.core.classify.matchers.output import Output
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.registry import AllOf, CategoryMatcher
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Engine, Pattern
from agent.core.classify.rules import Category, Matcher, Rule, RuleSet
from agent.core.evidence import (
    Condition,
    Container,
    ContainerKind,
    ContainerState,
    Event,
    Evidence,
    Node,
    Pod,
    StateKind,
)
from agent.core.evidence import LogTail as Tail
from tests.tables import table

Row = Mapping[str, Any]


def rows(name: str) -> list[Row]:
    """All rows of the table of this name."""
    read: list[Row] = table(Path(__file__).parent / name)
    return read


def evidence_of(row: Row) -> Evidence:
    """``{pod, containers, conditions, error, events, node, logs}`` and other fields of ``Evidence``, all optional."""
    pod = Pod(
        **row.get("pod", {}),
        conditions=tuple(Condition(**condition) for condition in row.get("conditions", ())),
        containers=tuple(_container(container) for container in row.get("containers", ())),
    )
    node = row.get("node")
    return Evidence(
        pod=pod,
        pod_error=row.get("error", ""),
        events=tuple(Event(**event) for event in row.get("events", ())),
        node=None if node is None else _node(node),
        log_tails=tuple(Tail(**tail) for tail in row.get("logs", ())),
        deletion_requested_at=row.get("deletion_requested_at"),
        unlimited=tuple(row.get("unlimited", ())),
        known_as=tuple(row.get("known_as", ())),
        namespace=row.get("namespace", ""),
    )


def rules_of(*rules: Rule) -> RuleSet:
    """A file of one category, ``it``."""
    return RuleSet(categories=(Category(name="it", rules=rules),))


def rule_of(row: Row) -> Rule:
    """One rule: a matcher under its name in files, ``containerName`` and ``subcategory``."""
    plain = {key: value for key, value in row.items() if key not in ("containerName", "subcategory", "allOf")}
    matcher: Matcher = (
        AllOf(matchers=tuple(matcher_of(part) for part in row["allOf"])) if "allOf" in row else matcher_of(plain)
    )
    return Rule(matcher=matcher, container=row.get("containerName"), subcategory=row.get("subcategory", ""))


def _container(row: Row) -> Container:
    """``{name, kind}`` with ``ended`` or ``waiting``, or both, as when it waits to be started again."""
    ended = row.get("ended")
    waiting = row.get("waiting")
    end = None if ended is None else ContainerState(kind=StateKind.TERMINATED, **ended)
    wait = ContainerState(kind=StateKind.WAITING if waiting else StateKind.RUNNING, reason=waiting or "")
    state = end if end is not None and waiting is None else wait
    return Container(name=row["name"], kind=ContainerKind(row.get("kind", "app")), state=state, ended=end)


def _node(row: Row) -> Node:
    conditions = tuple(Condition(**condition) for condition in row.get("conditions", ()))
    return Node(conditions=conditions, log_lines=tuple(row.get("log", ())))


def matcher_of(row: Row) -> CategoryMatcher:
    ((name, value),) = row.items()
    match name:
        case "onExitCodes":
            return ExitCodes(operator=Operator(value["operator"]), values=frozenset(value["values"]))
        case "onSignals":
            return Signals(values=frozenset(value))
        case "onConditions":
            return Conditions(names=tuple(value))
        case "onNamespaces":
            return Namespaces(operator=Operator(value["operator"]), values=frozenset(value["values"]))
        case "onNodeConditions":
            return NodeConditions(any_of=tuple(NodeCondition(**condition) for condition in value))
        case _:
            return _text_matcher(name, value)


def _text_matcher(name: str, value: Row) -> CategoryMatcher:
    pattern = Pattern(text=value["pattern"], engine=Engine(value.get("engine", "re2")))
    if name == "onPodEvents":
        return PodEvents(type=value["type"], pattern=pattern, reason=value.get("reason"))
    of: Mapping[str, type[TerminationMessage | PodError | NodeLog | LogTail | Output]] = {
        "onTerminationMessage": TerminationMessage,
        "onPodError": PodError,
        "onNodeLog": NodeLog,
        "onLogTail": LogTail,
        "onOutput": Output,
    }
    return of[name](pattern=pattern)
