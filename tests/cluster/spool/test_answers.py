"""Answers to commands: published each time, but never beside the report of the same event."""

from pathlib import Path

import pytest

from agent.cluster.spool.entries import Answer, Forgotten, SpoolEntry
from agent.cluster.spool.quota import SpoolFull
from tests.cluster.spool.test_spool import NOW, open_spool, report, sequences


def test_an_answer_is_published_though_the_pod_is_not_known(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    assert spool.commit([Answer(report=report("a1"))], now=NOW) == {"a1"}
    assert sequences(spool) == [1]
    assert spool.reported() == {}, "nothing is kept of a pod that may never be seen"
    spool.close()


@pytest.mark.parametrize("answer_first", [True, False])
def test_an_answer_and_the_report_of_one_event_are_published_once(tmp_path: Path, *, answer_first: bool) -> None:
    spool = open_spool(tmp_path)
    both: list[SpoolEntry] = [Answer(report=report("e1")), report("e1")]
    spool.commit(both if answer_first else both[::-1], now=NOW)
    spool.commit([Answer(report=report("e1"))], now=NOW)

    assert sequences(spool) == [1]
    assert spool.reported() == {"pod-1": frozenset({"e1"})}
    assert spool.settled(["pod-1"]) == frozenset(), "its finalizer waits for the broker"
    spool.acknowledge([1])
    assert spool.settled(["pod-1"]) == {"pod-1"}
    spool.close()


def test_an_answer_stays_when_its_pod_is_forgotten(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    spool.commit([Answer(report=report("a1")), Forgotten(uid="pod-1")], now=NOW)

    assert sequences(spool) == [1]
    spool.close()


def test_answers_count_towards_the_bound(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, max_events=2)
    spool.commit([Answer(report=report("a1")), Answer(report=report("a2"))], now=NOW)

    with pytest.raises(SpoolFull):
        spool.commit([Answer(report=report("a3"))], now=NOW)
    spool.close()
