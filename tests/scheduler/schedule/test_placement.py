"""Which cluster takes a run, and why none does."""

from pathlib import Path
from typing import Any

import pytest

from agent.core.heartbeat import RunOffer
from agent.core.queue import Queue
from agent.scheduler.schedule.placement import Candidate, Wanted, choose, why_none
from tests.core.lifecycle.made import T0
from tests.tables import table

CASES = table(Path(__file__).parent / "placement.yaml")


def candidate(text: str) -> Candidate:
    name, namespaces, *rest = text.split()
    taken, _, most = (rest[0] if rest else "0/0").partition("/")
    return Candidate(
        cluster_id=f"id-{name}",
        name=name,
        offer=None if namespaces == "-" else RunOffer(namespaces=tuple(namespaces.split(",")), max_runs=int(most)),
        open_runs=int(taken),
        heard="silent" not in rest,
        heard_at=T0,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_cluster_is_chosen_or_the_reason_given(case: dict[str, Any]) -> None:
    queue = Queue(
        name="q",
        clusters=case.get("allowed"),
        cordoned=case.get("cordoned", False),
        max_active_runs=case.get("most"),
    )
    wanted = Wanted(namespace="jobs", queue=queue, open_runs=2)
    candidates = [candidate(text) for text in case["clusters"]]

    chosen = choose(wanted, candidates)

    if chosen is None:
        assert why_none(wanted, candidates) == case["why"]
    else:
        assert chosen.name == case["takes"]
