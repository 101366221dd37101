"""Fuzzing of the path of a pod: decoded, observed, classified, summarised, written, read back.

No crash, no hang, nothing hostile or secret in what is kept, and never more than 64 KiB of it. ``FUZZ_SECONDS`` says
for how long a run looks; the long run takes 100,000 inputs.
"""

import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.core.classify import rules as words
from agent.core.classify.classifier import compile_rules
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.log_tail import LogTail
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Pattern
from agent.core.evidence import LogTail as Tail
from agent.core.failure import Failure, Occurrence
from agent.core.run_event import RunEvent
from agent.core.summary.bounds import FAILURE_BYTES
from agent.core.summary.redaction import Redactor
from agent.core.summary.summary import summarise
from agent.core.summary.texts import TextPlace, rewrite
from agent.kube import objects
from agent.kube.codec import Codec, Undecodable
from agent.observe.event_id import event_id
from agent.observe.events import read_events
from agent.observe.evidence import read_evidence
from agent.observe.injection import submission
from agent.observe.occurrence import Deadlines, Occurred, observe
from agent.observe.text import strip
from agent.wire import events as wire
from agent.wire.failure import encode
from tests.fuzz.drawn import QUICK, damaged, drawn
from tests.fuzz.pods import EVENTS, NODES, PODS, TEXTS, encoded

SECONDS = float(os.environ.get("FUZZ_SECONDS", "5"))
INPUTS = 100_000
KNOWN = 150
HANG_SECONDS = 1.0
TRIES = 3
NOW = datetime(2026, 1, 3, tzinfo=UTC)
DEADLINES = Deadlines()
SECRET = "hunter2"

Object = TypeVar("Object", objects.Pod, objects.Event, objects.Node)

_POD, _EVENT, _NODE = Codec(objects.Pod), Codec(objects.Event), Codec(objects.Node)
_REDACTOR = Redactor()
_CLASSIFIER = compile_rules(
    words.RuleSet(
        categories=(
            words.Category(
                name="any",
                rules=(
                    words.Rule(matcher=Conditions(names=("OOMKilled", "Evicted"))),
                    words.Rule(matcher=TerminationMessage(pattern=Pattern(text=f"CUDA|{SECRET}|é"))),
                    words.Rule(matcher=PodError(pattern=Pattern(text="(?s)failed.*because"))),
                    words.Rule(matcher=PodEvents(type="Warning", pattern=Pattern(text="a|x+"))),
                    words.Rule(matcher=LogTail(pattern=Pattern(text=SECRET))),
                    words.Rule(matcher=Signals(values=frozenset({9, 15}))),
                    words.Rule(matcher=ExitCodes(operator=Operator.NOT_IN, values=frozenset({0, 1}))),
                ),
            ),
        )
    )
)


class Watching:
    """Fails on a text that no kept failure may hold."""

    def text(self, text: str, place: TextPlace) -> str:
        assert strip(text) == text, place
        assert f"password={SECRET}" not in text, place
        return text

    def items(self, items: tuple[object, ...], place: TextPlace) -> tuple[object, ...]:  # noqa: ARG002 - part of Rewriting
        return items


def read(codec: Codec[Object], raw: bytes) -> list[Object]:
    """The object if it can be read; an odd one is skipped, as the reflector does."""
    seen = codec.read(raw)
    return [] if isinstance(seen, Undecodable) else [seen]


def follow(raw_pods: Sequence[bytes], raw_event: bytes, raw_node: bytes, log: str) -> None:
    """Follow a pod over its states, and every failure of it to bytes and back."""
    events, nodes = read(_EVENT, raw_event), read(_NODE, raw_node)
    entry = None
    for pod in (pod for raw in raw_pods for pod in read(_POD, raw)):
        entry, occurred = observe(entry, pod, deleted=raw_pods[-1] == raw_pods[0], now=NOW, deadlines=DEADLINES)
        for each in (*occurred, Occurred(occurrence=Occurrence.POD_FAILED, occurred_at=NOW)):
            submitted = submission(pod)
            evidence = read_evidence(
                pod,
                occurrence=each.occurrence,
                container=each.container,
                events=read_events(events),
                node=nodes[0] if nodes else None,
                node_log=[log],
                log_tails=[Tail(container=each.container or "main", text=log)],
                submitted=submitted,
            )
            given_one = _CLASSIFIER.classify(evidence)
            failure = summarise(
                evidence, given_one, occurrence=each.occurrence, submitted=submitted, redactor=_REDACTOR
            )
            look_at(failure)
            event = RunEvent(
                event_id=event_id("c", entry.reference.uid, each.occurrence),
                cluster_id="c",
                cluster="c",
                identity=entry.identity,
                pod=entry.reference,
                occurred_at=each.occurred_at,
                observed_at=NOW,
                event=failure,
            )
            if event.identity.run_id and event.identity.job_id:
                assert wire.decode(wire.encode(event)) == event


def look_at(failure: Failure) -> None:
    """What holds of every failure that is kept."""
    assert len(encode(failure)) <= FAILURE_BYTES
    rewrite(failure, Watching())


def timed(pods: Sequence[bytes], event: bytes, node: bytes, log: str) -> None:
    """Follow one. It hangs if it takes a processor longer than a second, time and again.

    Once is no proof: collecting the garbage of a hundred thousand inputs takes its second from some input.
    """
    taken = seconds_for(pods, event, node, log)
    if taken >= HANG_SECONDS:
        taken = min(seconds_for(pods, event, node, log) for _ in range(TRIES))
    assert taken < HANG_SECONDS, f"{taken:.1f} s of processor time"


def seconds_for(pods: Sequence[bytes], event: bytes, node: bytes, log: str) -> float:
    started = time.process_time()
    follow(pods, event, node, log)
    return time.process_time() - started


def inputs(
    pods: st.SearchStrategy[bytes], events: st.SearchStrategy[bytes], nodes: st.SearchStrategy[bytes]
) -> st.SearchStrategy[tuple[list[bytes], bytes, bytes, str]]:
    return st.tuples(st.lists(pods, min_size=1, max_size=3), events, nodes, TEXTS)


def look_at_some() -> None:
    """All drawn afresh."""
    fresh = inputs(encoded(PODS), encoded(EVENTS), encoded(NODES))
    QUICK(given(given_ones=fresh)(lambda given_ones: timed(*given_ones)))()


def look_at_many() -> None:
    """Drawn once, then put together and damaged anew each time."""
    known = (st.sampled_from(drawn(encoded(each), KNOWN)) for each in (PODS, EVENTS, NODES))
    many = inputs(*(each | damaged(each) for each in known))
    settings(QUICK, max_examples=INPUTS)(given(given_ones=many)(lambda given_ones: timed(*given_ones)))()


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 120)  # it runs for as long as it is asked to
def test_pods_for_a_time() -> None:
    until = time.monotonic() + SECONDS
    rounds = 0
    while time.monotonic() < until or not rounds:
        look_at_some()
        rounds += 1


@pytest.mark.long
@pytest.mark.timeout(7200)  # a hundred thousand inputs
def test_a_hundred_thousand_pods() -> None:
    look_at_many()
