"""The path: watch line -> decoded -> observed -> classified -> summarised -> protobuf, on one core.

Beside it what one would write first: the official client's watch and models, a loop over ``re`` patterns, the same
FailureInfo by constructors; it neither strips, redacts nor bounds. Both keep the cluster's pods in memory, as a
cluster agent must: ours a pruned entry each, the peer the model, as the client's own informer does. Without that
cache the peer is quicker, for Python then has little garbage to look through; that figure is ``bare_ratio``, and has
no target. ``--quick`` takes under 40 s; ``--json`` prints one line of JSON last. Exits 1 below the target ratio.
"""

import argparse
import gc
import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from statistics import median
from typing import Any

import msgspec
from kubernetes.watch import Watch

from agent.api.v1 import failure_pb2 as pb
from agent.core.classify import rules as words
from agent.core.classify.classifier import compile_rules
from agent.core.redaction import Redactor
from agent.core.summary import summarise
from agent.kube import objects
from agent.kube.codec import Codec, Seen
from agent.observe.evidence import read_evidence
from agent.observe.injection import submission
from agent.observe.occurrence import Deadlines, Entry, observe
from agent.wire.failure import encode
from bench.sample import pods
from bench.sample.rules import hits, rule_set

TARGET = 15.0
RULES = 100
PODS = 500
ROUNDS, QUICK_ROUNDS = 21, 5
NOW = datetime(2026, 1, 3, tzinfo=UTC)
SEED = 20260101

Model = Any
"""A model of the official client; nearly every field of one may be None to a type checker."""

Path = Callable[[bytes], bytes]


def ours(lines: Sequence[bytes]) -> Path:
    """Our path, everything that is done once per process or before a pod fails done."""
    classify = compile_rules(rule_set(RULES, seed=SEED)).classify
    redactor = Redactor()
    read = Codec(objects.Pod).read_event
    deadlines = Deadlines()
    known, entries = _running(read, lines, deadlines), dict[str, Entry]()
    events = msgspec.convert(pods.events(3, seed=SEED), list[objects.Event])
    node = msgspec.convert(pods.node(), objects.Node)

    def path(line: bytes) -> bytes:
        pod = _pod(read(line))
        entry, (occurred,) = observe(known[str(pod.metadata.uid)], pod, deleted=False, now=NOW, deadlines=deadlines)
        entries[entry.reference.uid] = entry
        submitted = submission(pod)
        evidence = read_evidence(
            pod, occurrence=occurred.occurrence, container=None, events=events, node=node, submitted=submitted
        )
        failure = summarise(
            evidence, classify(evidence), occurrence=occurred.occurrence, submitted=submitted, redactor=redactor
        )
        return encode(failure)

    return path


def _pod(seen: object) -> objects.Pod:
    if not isinstance(seen, Seen) or not isinstance(seen.object, objects.Pod):
        raise TypeError("a sample line is not a pod")
    return seen.object


def _running(read: Callable[[bytes], object], lines: Sequence[bytes], deadlines: Deadlines) -> dict[str, Entry]:
    """What is kept of the pods while they run."""
    kept = {}
    for line in lines:
        pod = _pod(read(line))
        running = msgspec.structs.replace(pod, status=objects.PodStatus(phase="Running"))
        entry, _ = observe(None, running, deleted=False, now=NOW, deadlines=deadlines)
        kept[entry.reference.uid] = entry
    return kept


def naive(*, cached: bool) -> Path:
    """The path one would write first; ``cached`` keeps the pods, as the client's informer does."""
    pods_by_uid: dict[str, Model] = {}
    watch = Watch()
    rules = [
        (category.name, rule.subcategory, rule.matcher, _compiled(rule.matcher))
        for category in rule_set(RULES, seed=SEED).categories
        for rule in category.rules
    ]
    client = watch._api_client  # noqa: SLF001 - as Watch itself makes models
    events = [
        client.deserialize(json.dumps(each), "CoreV1Event", "application/json") for each in pods.events(3, seed=SEED)
    ]
    node = client.deserialize(json.dumps(pods.node()), "V1Node", "application/json")

    def path(line: bytes) -> bytes:
        pod = watch.unmarshal_event(line.decode(), "V1Pod")["object"]
        if cached:
            pods_by_uid[pod.metadata.uid] = pod
        ended = [each.state.terminated for each in _statuses(pod) if each.state.terminated]
        error = pod.status.message or "".join(each.message or "" for each in ended if each.exit_code)
        given = next((rule for rule in rules if _matches(rule[2], rule[3], pod, ended, error, events)), None)
        return _info(pod, error, given[0] if given else "uncategorized", events, node).SerializeToString()

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
        case words.ExitCodes():
            return any(each.exit_code and each.exit_code in matcher.values for each in ended)
        case words.Conditions():
            return pod.status.reason in matcher.names
        case words.PodEvents():
            return any(
                each.type == matcher.type and each.reason == matcher.reason and pattern.search(each.message)
                for each in events
            )
        case words.PodError():
            return bool(pattern.search(error))
        case _:
            return any(each.exit_code and each.message and pattern.search(each.message) for each in ended)


def _info(pod: Model, error: str, category: str, events: Sequence[Model], node: Model) -> pb.FailureInfo:
    failed = next(each for each in _statuses(pod) if each.state.terminated and each.state.terminated.exit_code)
    ended = failed.state.terminated
    return pb.FailureInfo(
        exit_code=ended.exit_code,
        termination_message=ended.message,
        categories=[category],
        container_name=failed.name,
        culprit_container=failed.name,
        termination_reason=ended.reason,
        pod_error=error,
        classification=pb.Classification(category=category),
        pod=pb.PodSnapshot(
            phase=pod.status.phase,
            qos_class=pod.status.qos_class,
            start_time=pod.status.start_time,
            conditions=map(_condition, pod.status.conditions),
            containers=map(_container, _statuses(pod)),
        ),
        node=pb.NodeSnapshot(name=node.metadata.name, conditions=map(_condition, node.status.conditions)),
        events=map(_event, events),
    )


def _condition(given: Model) -> pb.Condition:
    return pb.Condition(
        type=given.type,
        status=given.status,
        reason=given.reason,
        message=given.message,
        last_transition_time=given.last_transition_time,
    )


def _container(given: Model) -> pb.ContainerSnapshot:
    ended = given.state.terminated
    state = pb.ContainerState(
        reason=ended.reason,
        message=ended.message,
        exit_code=ended.exit_code,
        started_at=ended.started_at,
        finished_at=ended.finished_at,
    )
    return pb.ContainerSnapshot(name=given.name, image=given.image, state=state, restart_count=given.restart_count)


def _event(given: Model) -> pb.PodEvent:
    return pb.PodEvent(
        reason=given.reason,
        message=given.message,
        type=given.type,
        count=given.count,
        first_time=given.first_timestamp,
        last_time=given.last_timestamp,
        component=given.source.component,
    )


def _seconds(path: Path, lines: Sequence[bytes]) -> float:
    gc.collect()
    started = time.process_time()
    for line in lines:
        path(line)
    return (time.process_time() - started) / len(lines)


def measure(*, rounds: int) -> dict[str, float]:
    """Failures a second on one core, both paths in turns; medians over the rounds."""
    lines = pods.watch_lines(PODS, hits=hits(rule_set(RULES, seed=SEED)), seed=SEED)
    paths = {"ours": ours(lines), "naive": naive(cached=True), "bare": naive(cached=False)}
    spent: dict[str, list[float]] = {name: [] for name in paths}
    for _ in range(rounds + 1):
        for name, path in paths.items():
            spent[name].append(_seconds(path, lines))
    per_s = {name: 1 / median(times[1:]) for name, times in spent.items()}
    return {
        "ours_per_s": round(per_s["ours"]),
        "naive_per_s": round(per_s["naive"]),
        "ratio": round(per_s["ours"] / per_s["naive"], 1),
        "bare_ratio": round(per_s["ours"] / per_s["bare"], 1),
    }


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the target is met."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--json", action="store_true", help="print one line of JSON last")
    given = parser.parse_args(arguments)
    figures = measure(rounds=QUICK_ROUNDS if given.quick else ROUNDS)
    print(f"ours {figures['ours_per_s']:,.0f}/s, naive {figures['naive_per_s']:,.0f}/s")
    print(f"ratio {figures['ratio']} (target {TARGET}); {figures['bare_ratio']} beside a peer that keeps no pods")
    if given.json:
        print(json.dumps(figures))
    return 0 if figures["ratio"] >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
