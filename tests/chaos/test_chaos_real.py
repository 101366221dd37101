"""A short course of chaos on the real server, and what would not count as holding."""

from collections import Counter
from pathlib import Path

import pytest

from tests.chaos.course import Kill, Outcome, Plan, Victim, real_in, run, table
from tests.servers.control_plane import ControlPlane

SHORT = Plan(pods=150, agent_kills=3, server_kills=1, seed=7)
FULL = Plan(pods=2000, agent_kills=10, server_kills=5, seed=1)
RESTARTS = pytest.mark.timeout(240)  # real servers are killed and start again
MANY_RESTARTS = pytest.mark.timeout(1800)  # ten times as often


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param(SHORT, marks=[pytest.mark.slow, RESTARTS], id="short"),
        pytest.param(FULL, marks=[pytest.mark.long, MANY_RESTARTS], id="full"),
    ],
)
def test_every_failure_is_reported_exactly_once_through_kills(
    plan: Plan, control_plane: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    outcome = run(plan, real_in(tmp_path, control_plane, namespace), control_plane, say=print)

    assert outcome.holds, table(outcome)
    assert len(outcome.events) == plan.pods
    assert Counter(kill.victim for kill in outcome.kills) == Counter(plan.kills())


def outcome_of(*, reports: list[str], events: list[str], held: tuple[str, ...] = ()) -> Outcome:
    kill = Kill(victim=Victim.AGENT, at_seconds=1.0, told=0)
    return Outcome(
        names=("a", "b"), kills=(kill,), reports=Counter(reports), events=Counter(events), held=held, seconds=1.0
    )


def test_once_each_holds() -> None:
    outcome = outcome_of(reports=["a", "b"], events=["1", "2"])

    assert outcome.holds
    assert "agent killed" in table(outcome)


@pytest.mark.parametrize(
    "outcome",
    [
        outcome_of(reports=["a"], events=["1"]),
        outcome_of(reports=["a", "b", "b"], events=["1", "2", "3"]),
        outcome_of(reports=["a", "b"], events=["1", "1"]),
        outcome_of(reports=["a", "b", "c"], events=["1", "2", "3"]),
        outcome_of(reports=["a", "b"], events=["1", "2"], held=("a",)),
    ],
)
def test_anything_else_does_not(outcome: Outcome) -> None:
    assert not outcome.holds


def test_kills_are_in_the_order_of_the_seed() -> None:
    plan = Plan(pods=1, agent_kills=10, server_kills=5, seed=1)

    assert Counter(plan.kills()) == {Victim.AGENT: 10, Victim.API_SERVER: 5}
    assert plan.kills() == plan.kills()
