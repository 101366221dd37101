from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.evidence import ContainerKind, StateKind
from agent.core.lifecycle.confirmation import LastSeen, SeenContainer, confirmation_of
from tests.tables import table

CASES: list[dict[str, Any]] = table(Path(__file__).parent / "confirmation.yaml")


def container(words: str) -> SeenContainer:
    kind, state, *rest = words.split()
    codes = [int(word) for word in rest if word.isdigit()]
    return SeenContainer(
        kind=ContainerKind(kind),
        state=StateKind(state),
        exit_code=codes[0] if codes else None,
        restarted="restarted" in rest,
    )


def seen(case: dict[str, Any]) -> LastSeen:
    return LastSeen(
        containers=tuple(container(words) for words in case["containers"]),
        deleting=case.get("deleting", False),
        node=case.get("node", ""),
        refused=case.get("refused", False),
        watched=case.get("watched", False),
        showed_container=case.get("showedContainer", False),
    )


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_what_confirms_that_a_pod_no_longer_lives(case: dict[str, Any]) -> None:
    assert confirmation_of(seen(case)) == case.get("confirmed")


containers = st.builds(
    SeenContainer,
    kind=st.sampled_from(ContainerKind),
    state=st.sampled_from(StateKind),
    exit_code=st.sampled_from((None, 0, 1)),
    restarted=st.booleans(),
)
pods = st.builds(
    LastSeen,
    containers=st.lists(containers, max_size=4),
    deleting=st.booleans(),
    node=st.sampled_from(("", "n1")),
    refused=st.booleans(),
    watched=st.booleans(),
    showed_container=st.booleans(),
)


@given(pod=pods, at=st.integers(0, 4))
def test_a_pod_with_a_running_container_is_never_confirmed(pod: LastSeen, at: int) -> None:
    running = SeenContainer(kind=ContainerKind.APP, state=StateKind.RUNNING)
    assert confirmation_of(replace(pod, containers=(*pod.containers[:at], running, *pod.containers[at:]))) is None


@given(pod=pods)
def test_a_deletion_of_a_bound_pod_proves_nothing(pod: LastSeen) -> None:
    bound = replace(pod, node="n1")
    assert confirmation_of(replace(bound, deleting=True)) == confirmation_of(replace(bound, deleting=False))
