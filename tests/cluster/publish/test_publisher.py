from pathlib import Path

from structlog.testing import capture_logs

from agent.broker.eventlog import EventLog
from agent.broker.lazy import LazyBroker
from agent.broker.port import Broker, Unreachable
from agent.cluster.publish.publisher import Publishing
from tests.cluster.spool.test_spool import open_spool


class Coming:
    """A broker that answers as soon as it is there."""

    def __init__(self) -> None:
        self.broker: Broker | None = None

    def connect(self) -> Broker:
        if self.broker is None:
            raise Unreachable("nobody is there")
        return self.broker


def test_a_topic_that_cannot_be_claimed_is_logged_once(tmp_path: Path) -> None:
    coming, spool = Coming(), open_spool(tmp_path)
    broker = LazyBroker(coming.connect)
    publishing = Publishing(
        broker, spool, cluster="east", owner="uid", subscriptions=["scheduler"], settled=lambda _: None
    )

    with capture_logs() as logs:
        assert [publishing._prepare() for _ in range(3)] == [False, False, False]
        coming.broker = EventLog.open(str(tmp_path / "log.db"))
        assert publishing._prepare()

    assert [line["error"] for line in logs] == ["nobody is there"]
    broker.close()
    spool.close()
