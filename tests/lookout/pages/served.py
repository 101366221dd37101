"""A Lookout that is served as the product serves it, which can be stopped and comes back where it was."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from agent.broker.port import Message
from tests.lookout.api.serving import LOOPBACK, Client
from tests.lookout.process import LookoutProcess, write_settings
from tests.scheduler.path import TOPIC, Place, publish, wait_until
from tests.servers.ports import free_ports


class ServedLookout:
    """``failure-agent lookout`` over the files of a folder: its database, and its event log unless another is named.

    Running once started.
    """

    def __init__(self, folder: Path, *, broker_url: str | None = None, scheduler: str | None = None) -> None:
        (port,) = free_ports(1)
        self.client = Client(port=port)
        self.database = folder / "store.db"
        self.url = f"http://{LOOPBACK}:{port}"
        place = Place.in_files(folder)
        self._place = place if broker_url is None else replace(place, broker_url=broker_url)
        self._folder = folder
        api = {"port": port, "scheduler": scheduler}
        self._settings = write_settings(folder, self._place, api=api)
        self._process: LookoutProcess | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._process = LookoutProcess(self._settings, log=self._folder / "lookout.log")
        wait_until(self._process.is_ready)

    def stop(self) -> None:
        """Have it end as an operator does."""
        assert self._process is not None
        assert self._process.terminate() == 0
        self._process.end()

    def end(self) -> None:
        """End it however it is."""
        if self._process is not None:
            self._process.end()

    def publish(self, messages: Sequence[Message], *, topic: str = TOPIC) -> None:
        """Send to the event log what an agent sends, or a scheduler."""
        with closing(self._place.open_log()) as log:
            publish(log, messages, topic=topic)
