"""Sample evidence as the JSON an API server sends: what both sides read when reading counts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from agent.core.classify import rules as words
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.rules import RuleSet
from agent.core.evidence import Container, ContainerKind, Event, Evidence
from bench.sample import pods

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One pod and the events about it, each still text."""

    pod: bytes
    events: tuple[bytes, ...]


def documents(evidences: Sequence[Evidence], *, seed: int) -> list[Document]:
    """The evidence in pods of about 9 KB beside their messages; its ``pod_error`` follows from the messages."""
    random = Random(seed)
    return [
        Document(
            pod=_text(_pod(random, index, evidence)), events=tuple(_text(_event(event)) for event in evidence.events)
        )
        for index, evidence in enumerate(evidences)
    ]


def task(rules: RuleSet, given: Sequence[Document]) -> bytes:
    """The file that ``bench/go/classify`` takes: the rules, and the pods as they are sent."""
    rows = [_rule(category.name, rule.matcher) for category in rules.categories for rule in category.rules]
    head = json.dumps({"rules": rows, "default": rules.default_category})[:-1].encode()
    return head + b', "pods": [' + b",".join(map(_subject, given)) + b"]}"


def _subject(document: Document) -> bytes:
    return b'{"pod": ' + document.pod + b', "events": [' + b",".join(document.events) + b"]}"


def _rule(category: str, matcher: words.Matcher) -> Json:
    match matcher:
        case TerminationMessage(pattern=pattern):
            return {"category": category, "on": "terminationMessage", "pattern": pattern.text}
        case PodError(pattern=pattern):
            return {"category": category, "on": "podError", "pattern": pattern.text}
        case PodEvents(type=kind, reason=reason, pattern=pattern):
            about = {"type": kind, "reason": reason or "", "pattern": pattern.text}
            return {"category": category, "on": "podEvents", **about}
        case ExitCodes(values=values, operator=Operator.IN):
            return {"category": category, "on": "exitCodes", "codes": sorted(values)}
        case Conditions(names=names):
            return {"category": category, "on": "conditions", "names": list(names)}
        case _:
            raise TypeError(f"the sample has no {type(matcher).__name__}")


def _pod(random: Random, index: int, evidence: Evidence) -> Json:
    containers = evidence.pod.containers
    status = {
        "phase": evidence.pod.phase,
        "qosClass": "Guaranteed",
        "hostIP": "10.0.0.7",
        "podIP": "10.1.2.3",
        "containerStatuses": [_status(container) for container in containers if container.kind is ContainerKind.APP],
        "initContainerStatuses": [
            _status(container) for container in containers if container.kind is ContainerKind.INIT
        ],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": pods.metadata(random, index),
        "spec": pods.spec(app=("main",), init=("setup",)),
        "status": status,
    }


def _status(container: Container) -> Json:
    ended = container.state
    terminated = {"exitCode": ended.exit_code, "reason": ended.reason, "message": ended.message}
    return {
        "name": container.name,
        "state": {"terminated": {name: value for name, value in terminated.items() if value != ""}},
        "lastState": {},
        "ready": False,
        "restartCount": 0,
        "image": f"images.example/{container.name}:1.2.3",
    }


def _event(event: Event) -> Json:
    return {
        "metadata": {"name": "event", "namespace": "jobs"},
        "involvedObject": {"kind": "Pod", "namespace": "jobs", "name": "pod"},
        "type": event.type,
        "reason": event.reason,
        "message": event.message,
        "source": {"component": event.component},
        "count": 1,
    }


def _text(document: Json) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()
