"""The containers of one machine. They go on when the kubelet ends or is cut off. Used in one event loop."""

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from agent.core.identity.labels import JOB, RUN
from agent.simulator.ledger import LivedContainer
from agent.simulator.script import Exit
from tests.servers.kubelet.behaviour import Course
from tests.simulator.api import Json

_KILLED: Final = Exit(exit_code=137)


class Container:
    """One container. ``exit`` says how it ended; ``last`` is the one before it, of ``restarts`` of its name."""

    def __init__(self, lived: LivedContainer, course: Course, *, last: "Container | None") -> None:
        self.lived = lived
        self.exit: Exit | None = None
        self.last: Final = last
        self.restarts: Final[int] = 0 if last is None else last.restarts + 1
        self.on_end: Callable[[], None] = _nobody
        self._course: Final = course
        self._loop: Final = asyncio.get_running_loop()
        if course.seconds is not None:
            self._loop.call_later(course.seconds, self.end, course.exit)

    @property
    def lives(self) -> bool:
        """Whether it has not ended."""
        return self.exit is None

    def stop(self, grace: float) -> None:
        """Ask it to end within so many seconds. If it was asked before, what ends it sooner counts."""
        seconds, ending = self._course.stop.within(grace)
        self._loop.call_later(seconds, self.end, ending)

    def end(self, ending: Exit) -> None:
        """End now, unless it has ended."""
        if self.lives:
            self.exit = ending
            self.lived = msgspec.structs.replace(self.lived, ended_at=datetime.now(UTC))
            self.on_end()


class Runtime:
    """All containers that the machine ever had, and the latest of each name of each pod."""

    def __init__(self) -> None:
        self._all: Final[list[Container]] = []
        self._latest: Final[dict[str, dict[str, Container]]] = {}

    def of(self, uid: str) -> Mapping[str, Container]:
        """The latest containers of a pod, by name."""
        return self._latest.get(uid, {})

    def start(self, pod: Json, name: str, course: Course) -> Container:
        """Start a container, or start it again."""
        containers = self._latest.setdefault(pod["metadata"]["uid"], {})
        container = Container(_begun(pod, name), course, last=containers.get(name))
        self._all.append(container)
        containers[name] = container
        return container

    def end(self) -> None:
        """End all containers at once."""
        for container in self._all:
            container.end(_KILLED)

    @property
    def ledger(self) -> Sequence[LivedContainer]:
        """What ran when, in the order of starts."""
        return [container.lived for container in self._all]


def _begun(pod: Json, name: str) -> LivedContainer:
    meta = pod["metadata"]
    labels = meta.get("labels") or {}
    return LivedContainer(
        pod_uid=meta["uid"],
        namespace=meta["namespace"],
        pod=meta["name"],
        job_id=labels.get(JOB, ""),
        run_id=labels.get(RUN, ""),
        gated=JOB in labels,
        container=name,
        container_id=f"containerd://{uuid.uuid4().hex}{uuid.uuid4().hex}",
        started_at=datetime.now(UTC),
    )


def _nobody() -> None:
    """No kubelet hears of it."""
