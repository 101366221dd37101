"""Settings and rules that change under a running agent."""

from pathlib import Path

import pytest
import yaml

from agent.core.failure import Failure
from tests.cluster.living import CATEGORIES, Living, eventually, living
from tests.cluster.process import AgentProcess, write_settings
from tests.tables import table
from tests.volume import Volume, rewrite

pytestmark = pytest.mark.slow

OTHER = """
errorCategories:
  defaultCategory: odd
  categories:
    - name: out-of-memory
      rules: [{onConditions: [OOMKilled]}]
"""


def reported(life: Living) -> dict[str, tuple[str, str]]:
    """Category and revision of the rules, by pod."""
    return {
        event.pod.name: (event.event.classification.category, event.event.classification.revision)
        for event in life.events()
        if isinstance(event.event, Failure)
    }


def has_logged(process: AgentProcess, event: str) -> bool:
    return event in [line["event"] for line in process.logged()]


def change(file: Path, **changed: object) -> None:
    rewrite(file, yaml.safe_dump({**table(file), **changed}))


async def fail(life: Living, name: str) -> None:
    await life.create(name, held=False)
    await life.fail(name, code=137, reason="OOMKilled")
    await eventually(lambda: name in reported(life))


async def test_rules_change_while_it_runs_and_bad_ones_do_not(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        volume, categories = Volume(tmp_path / "volume"), tmp_path / "volume" / "categories.yaml"
        volume.show({categories.name: CATEGORIES.encode()})
        settings = write_settings(life.settings(), tmp_path / "settings.yaml")
        change(settings, categories=str(categories), reload="50ms", heartbeat={"interval": "100ms"})
        process = AgentProcess(settings, log=tmp_path / "agent.log")
        try:
            await eventually(process.is_ready)
            await fail(life, "a")
            volume.show({categories.name: OTHER.encode()})
            await eventually(lambda: has_logged(process, "settings and rules were read again"))
            await fail(life, "b")
            volume.show({categories.name: b"errorCategories:\n  categories:\n    - nam: x\n"})
            await eventually(
                lambda: has_logged(
                    process, "changed settings or rules cannot be used; the last valid ones stay in effect"
                )
            )
            await fail(life, "c")
            _, metrics = process.ask("/metrics")
            await eventually(process.is_ready)
        finally:
            process.kill()

        found = reported(life)
        assert [found[name][0] for name in "abc"] == ["memory", "out-of-memory", "out-of-memory"]
        assert found["a"][1] != found["b"][1] == found["c"][1]
        assert f'failure_agent_rules_info{{revision="{found["c"][1]}"}} 1.0' in metrics
        assert found["a"][1] not in metrics
        assert "failure_agent_configuration_refused 1.0" in metrics
        assert 'failure_agent_configuration_reloads_total{outcome="refused"} 1.0' in metrics
        (refused,) = [line for line in process.logged() if "cannot be used" in line["event"]]
        assert f"{categories}:3:" in refused["faults"]


async def test_what_needs_a_restart_is_said_and_counted(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        settings = write_settings(life.settings(), tmp_path / "settings.yaml")
        change(settings, reload="50ms")
        process = AgentProcess(settings, log=tmp_path / "agent.log")
        try:
            await eventually(process.is_ready)
            change(settings, evidenceWait="3s", log={"level": "debug"}, deadlines={"image": "1m"})
            await eventually(lambda: has_logged(process, "some changed settings take effect only after a restart"))
            _, metrics = process.ask("/metrics")
            await eventually(lambda: has_logged(process, "health request"))
        finally:
            process.kill()

        lines = {line["event"]: line for line in process.logged()}
        assert lines["settings and rules were read again"]["changed"] == ["deadlines.image", "log.level"]
        assert lines["some changed settings take effect only after a restart"]["settings"] == ["evidenceWait"]
        assert "failure_agent_configuration_restart_needed 1.0" in metrics


async def test_deadlines_and_redaction_hold_at_once(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        settings = write_settings(life.settings(), tmp_path / "settings.yaml")
        change(settings, reload="50ms")
        process = AgentProcess(settings, log=tmp_path / "agent.log")
        try:
            await eventually(process.is_ready)
            hidden = {"rules": [{"name": "ours", "pattern": "tiger"}]}
            change(settings, deadlines={"image": "0s"}, redaction=hidden)
            await eventually(lambda: has_logged(process, "settings and rules were read again"))
            await life.create("a", held=False)
            waiting = {"reason": "ImagePullBackOff", "message": "no tiger here"}
            status = {"name": "main", "image": "i", "state": {"waiting": waiting}}
            await life.set_status("a", {"phase": "Pending", "containerStatuses": [status]})

            assert await life.until_reported(1) == [("a", "never-started", "internal")]
            (payload,) = life.published()
            assert b"[redacted]" in payload
            assert b"tiger" not in payload
        finally:
            process.kill()
