"""What docs/operations.md gives people to copy works as it stands."""

import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from agent.broker.connect import connect
from agent.broker.port import SubscriptionKind
from agent.settings.load import load
from agent.settings.scheduler import SchedulerSettings
from agent.wire.error import WireError
from agent.wire.events import decode
from tests.broker.contract import take
from tests.child import output_of
from tests.ground.tree import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def block_after(words: str) -> str:
    """The first indented block behind these words."""
    lines = PAGE.partition(words)[2].split("\n\n", 1)[1].splitlines()
    end = next(at for at, line in enumerate(lines) if line and not line.startswith("    "))
    return textwrap.dedent("\n".join(lines[:end]))


def test_the_settings_of_a_scheduler_in_production_are_valid(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.yaml"
    file.write_text(block_after("Its settings in production"), encoding="utf-8")

    settings = load(SchedulerSettings, file, {})

    assert (settings.health.port, settings.scheduling.retry_policy.default_policy_name) == (8082, "starter")
    assert f"it listens on {settings.health.port} only" in PAGE


@pytest.mark.slow
def test_the_rehearsal_sends_a_message_that_no_scheduler_can_read(tmp_path: Path) -> None:
    script = tmp_path / "rehearse.py"
    script.write_text(block_after("Save it as `rehearse.py`"), encoding="utf-8")

    printed = output_of([sys.executable, str(script)], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)})

    assert printed == "stored\n"
    with closing(connect(f"sqlite:///{tmp_path}/event-log.db")) as broker:
        kind = SubscriptionKind.KEY_SHARED
        with closing(broker.subscribe(broker.topics(""), name="scheduler", kind=kind, consumer="c")) as consumer:
            (delivery,) = take(consumer, 1, ack=False)
    with pytest.raises(WireError):
        decode(delivery.message.payload)
