"""Two replicas: only the leader takes commands, and what it had in hand goes to the next one."""

from pathlib import Path

import pytest

from agent.core.run_event import NameHeld, RunCreated
from tests.cluster.living import eventually, living
from tests.cluster.runs.commanding import Scheduler, create, ready
from tests.cluster.runs.nodes import replica

pytestmark = pytest.mark.slow


async def test_a_standby_takes_no_command_until_it_leads(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        scheduler = await Scheduler.of(life)
        async with life.agent(**replica(life, "a")) as first:
            await ready(first)
            async with life.agent(**replica(life, "b")) as second:
                scheduler.send(create())
                earlier = await scheduler.created()
                scheduler.send(create(), run="r2")
                await scheduler.until(NameHeld, run="r2")
                commands = second.agent.commands
                assert commands is not None
                assert (commands.offer(), commands.check()) == (None, None)

                await first.kill()
                scheduler.discard(earlier)
                later = await scheduler.created(run="r2")
                await eventually(lambda: commands.offer() is not None)
                made = await scheduler.pods()

    assert [each["metadata"]["uid"] for each in made] == [later.uid]
    assert len({event.event_id for event in scheduler.of_run("r1", RunCreated)}) == 1, "published twice at most"
    assert scheduler.dead_letters() == []
