import pytest
from pydantic import ValidationError

from agent.settings.cluster import ClusterSettings
from agent.settings.modes import OneNode

LEASE: dict[str, object] = {"namespace": "failure-agent"}


def settings(**more: object) -> ClusterSettings:
    given = {
        "cluster": "east",
        "categories": "c.yaml",
        "broker": {"url": "sqlite:///log.db"},
        "spool": {"path": "spool.db"},
        **more,
    }
    return ClusterSettings.model_validate(given, strict=False)


def test_the_default_is_one_process_for_all_nodes() -> None:
    assert (settings().one_node(), settings().lease) == (None, None)


def test_mode_daemonset_is_about_one_node() -> None:
    given = settings(mode="daemonset", lease=LEASE, node={"name": "n1"})

    assert given.one_node() == OneNode("n1", given.lease)  # type: ignore[arg-type]  # it was given


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"mode": "daemonset", "node": {"name": "n1"}}, "mode daemonset needs lease"),
        ({"mode": "daemonset", "lease": LEASE}, "mode daemonset needs node.name; set FAILURE_AGENT_NODE__NAME"),
        (
            {"mode": "daemonset", "lease": {**LEASE, "name": "l" * 200}, "node": {"name": "n" * 60}},
            "longer than 253 characters together",
        ),
        ({"lease": {**LEASE, "renew": "3s"}}, "renew must be at most a quarter of duration, 2 s"),
        ({"lease": {**LEASE, "duration": 3}}, "greater than or equal to 4"),
        ({"lease": {"name": "a"}}, "namespace"),
        ({"node": {"name": "N1"}}, "not a name that Kubernetes takes"),
    ],
)
def test_settings_in_conflict_are_refused(given: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        settings(**given)
