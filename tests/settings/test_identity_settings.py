from agent.core.identity.rules import PresetName
from agent.observe.identity import identify
from agent.settings.identity import IdentitySettings
from tests.observe.pods import pod

OURS = {"failure-agent.dev/job": "j1", "failure-agent.dev/run": "r1", "team/job": "theirs"}


def test_expressions_do_not_override_what_the_agent_wrote_itself() -> None:
    rules = IdentitySettings(job=("{label:team/job}",)).rules()

    assert identify(pod(metadata={"labels": OURS}), rules).job_id == "j1"
    assert identify(pod(metadata={"labels": {"team/job": "theirs"}}), rules).job_id == "theirs"


def test_without_the_preset_its_pods_are_pods_like_others() -> None:
    rules = IdentitySettings(presets=(PresetName.ARMADA,)).rules()

    assert identify(pod(metadata={"labels": OURS}), rules).job_id == "u1"
