import signal
import sys
from pathlib import Path

import pytest

from agent.cluster.spool.spool import Spool
from tests.child import PIPE, Child

WRITER = Path(__file__).parent / "killed_writer.py"
COUNT = 600
GROUP = 3


@pytest.mark.slow
def test_a_writer_killed_again_and_again_spools_each_event_once(tmp_path: Path) -> None:
    path = tmp_path / "spool.db"
    for kill_at in (1, 40, 90, 140):
        reported = write_until(path, kill_at)
        spooled = events(path)
        assert spooled[:reported] == [f"event-{number}" for number in range(reported)]
        assert len(spooled) % GROUP == 0
    write_until(path, None)

    assert events(path) == [f"event-{number}" for number in range(COUNT)]


def write_until(path: Path, kill_at: int | None) -> int:
    """Run the writer, kill -9 it after so many commits; how many events it said were on disk."""
    command = [sys.executable, str(WRITER), str(path), str(COUNT), str(GROUP)]
    with Child(command, stdout=PIPE) as writer:
        reported = 0
        for commits, line in enumerate(writer.lines(), start=1):
            reported = int(line)
            if commits == kill_at:
                writer.kill()
        assert writer.wait() == (0 if kill_at is None else -signal.SIGKILL)
    return reported


def events(path: Path) -> list[str]:
    spool = Spool.open(path, cluster="east", max_bytes=1 << 30, keep_acknowledged=10)
    rows = spool.unacknowledged(after=0, at_most=10 * COUNT)
    spool.close()
    assert [row.sequence for row in rows] == list(range(1, len(rows) + 1))
    return [row.properties["event_id"] for row in rows]
