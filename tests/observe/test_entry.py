"""The stored form of a pod's entry, which a later version must read."""

import json

import msgspec

from agent.observe.deadlines import StartProblemKind
from agent.observe.entry import PodEntry, RunProgress, StartProblem
from agent.observe.identity import identify, refer
from agent.observe.removal import Removal, RemovalKind
from tests.observe.pods import ago, pod


def test_the_names_in_spools_that_exist_are_kept() -> None:
    entry = PodEntry(
        identity=identify(pod()),
        reference=refer(pod()),
        start_problems=(StartProblem(kind=StartProblemKind.IMAGE, container="main", since=ago(0)),),
        removal=Removal(kind=RemovalKind.FAILED, since=ago(0), reported=True, without_finalizer=True),
        run=RunProgress(confirmed=True),
    )
    stored = json.loads(msgspec.json.encode(entry))

    assert [problem["container"] for problem in stored["troubles"]] == ["main"]
    assert (stored["removal"]["told"], stored["removal"]["unheld"]) == (True, True)
    assert stored["run"]["proved"] is True
    assert msgspec.convert(stored, PodEntry) == entry
