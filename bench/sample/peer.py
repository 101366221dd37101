"""The peer of ``bench/path.py``: the path one would write first.

The official client's watch and models, a loop over ``re`` patterns, FailureInfo by constructors.
"""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from kubernetes.watch import Watch

from agent.api.v1 import failure_pb2 as pb
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.rules import RuleSet
from agent.core.summary.redaction import DEFAULT_RULES
from bench.sample import pods

Model = Any
"""A model of the official client; nearly every field of one may be None to a type checker."""

Clean = Callable[[str | None], str]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_SECRETS = [(re.compile(rule.pattern), rule.replacement) for rule in DEFAULT_RULES]


def same_kind(text: str | None) -> str:
    """A text as it may be kept: without control characters and secrets, and of bounded length."""
    kept = _CONTROL.sub("", text or "")
    for pattern, replacement in _SECRETS:
        kept = pattern.sub(replacement, kept)
    return kept[:4096]


def as_it_is(text: str | None) -> str:
    """The text, hostile or secret."""
    return text or ""


def naive(rules: RuleSet, *, seed: int, keeps_pods: bool, clean: Clean) -> Callable[[bytes], bytes]:
    """Watch line to bytes. ``keeps_pods``: as the client's informer does. ``clean``: what is done to texts."""
    watch, kept = Watch(), dict[str, Model]()
    compiled = [
        (category.name, rule.matcher, _compiled(rule.matcher))
        for category in rules.categories
        for rule in category.rules
    ]
    read = watch._api_client.deserialize  # noqa: SLF001 - as Watch itself makes models
    events = [read(json.dumps(event), "CoreV1Event", "application/json") for event in pods.events(3, seed=seed)]
    node = read(json.dumps(pods.node()), "V1Node", "application/json")

    def path(line: bytes) -> bytes:
        pod = watch.unmarshal_event(line.decode(), "V1Pod")["object"]
        if keeps_pods:
            kept[pod.metadata.uid] = pod
        ended = [status.state.terminated for status in _statuses(pod) if status.state.terminated]
        error = pod.status.message or "".join(end.message or "" for end in ended if end.exit_code)
        category = next((rule[0] for rule in compiled if _matches(rule[1], rule[2], pod, ended, error, events)), "none")
        return _Info(clean).of(pod, error, category, events, node).SerializeToString()

    return path


def _compiled(matcher: object) -> "re.Pattern[str] | None":
    pattern = getattr(matcher, "pattern", None)
    return re.compile(pattern.text) if pattern else None


def _statuses(pod: Model) -> list[Model]:
    return [*(pod.status.container_statuses or ()), *(pod.status.init_container_statuses or ())]


def _matches(
    matcher: object, pattern: Model, pod: Model, ended: Sequence[Model], error: str, events: Sequence[Model]
) -> bool:
    match matcher:
        case ExitCodes():
            return any(end.exit_code and end.exit_code in matcher.values for end in ended)
        case Conditions():
            return pod.status.reason in matcher.names
        case PodEvents():
            return any(
                event.type == matcher.type and event.reason == matcher.reason and pattern.search(event.message)
                for event in events
            )
        case PodError():
            return bool(pattern.search(error))
        case _:
            return any(end.exit_code and end.message and pattern.search(end.message) for end in ended)


class _Info:
    """Makes a FailureInfo of models."""

    def __init__(self, clean: Clean) -> None:
        self._clean = clean

    def of(self, pod: Model, error: str, category: str, events: Sequence[Model], node: Model) -> pb.FailureInfo:
        failed = next(
            status for status in _statuses(pod) if status.state.terminated and status.state.terminated.exit_code
        )
        ended = failed.state.terminated
        return pb.FailureInfo(
            exit_code=ended.exit_code,
            termination_message=self._clean(ended.message),
            categories=[category],
            container_name=failed.name,
            culprit_container=failed.name,
            termination_reason=ended.reason,
            pod_error=self._clean(error),
            classification=pb.Classification(category=category),
            pod=pb.PodSnapshot(
                phase=pod.status.phase,
                qos_class=pod.status.qos_class,
                start_time=pod.status.start_time,
                conditions=map(self._condition, pod.status.conditions),
                containers=map(self._container, _statuses(pod)),
            ),
            node=pb.NodeSnapshot(name=node.metadata.name, conditions=map(self._condition, node.status.conditions)),
            events=map(self._event, events),
        )

    def _condition(self, given: Model) -> pb.Condition:
        return pb.Condition(
            type=given.type,
            status=given.status,
            reason=given.reason,
            message=self._clean(given.message),
            last_transition_time=given.last_transition_time,
        )

    def _container(self, given: Model) -> pb.ContainerSnapshot:
        ended = given.state.terminated
        state = pb.ContainerState(
            reason=ended.reason,
            message=self._clean(ended.message),
            exit_code=ended.exit_code,
            started_at=ended.started_at,
            finished_at=ended.finished_at,
        )
        return pb.ContainerSnapshot(name=given.name, image=given.image, state=state, restart_count=given.restart_count)

    def _event(self, given: Model) -> pb.PodEvent:
        return pb.PodEvent(
            reason=given.reason,
            message=self._clean(given.message),
            type=given.type,
            count=given.count,
            first_time=given.first_timestamp,
            last_time=given.last_timestamp,
            component=given.source.component,
        )
