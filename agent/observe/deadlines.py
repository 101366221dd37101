"""Deadlines: how long a pod may fail to start or end before its run is stopped."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Time from when a problem was first seen until the pod counts as never started; ``None`` is no limit.

    ``unschedulable``: no node is found, apart from scheduling gates. ``preparing``: the pod has a node, but no
    container has begun: volumes, sandbox, a long pull, an unresponsive kubelet. ``image``: the image cannot be pulled.
    ``config``: a config map, secret or field does not exist. ``create``: the runtime cannot create a
    container. ``init_crash_loop``: an init container that keeps failing. ``init_running``: how long one init container
    may run. ``active_margin`` is what the kubelet gets beyond activeDeadlineSeconds and grace period to end a pod,
    ``terminating_margin`` what it gets beyond the deletionTimestamp, which already includes the grace period.
    """

    unschedulable: timedelta | None = timedelta(minutes=15)
    preparing: timedelta | None = timedelta(minutes=30)
    image: timedelta = timedelta(minutes=5)
    config: timedelta = timedelta(minutes=2)
    create: timedelta = timedelta(minutes=2)
    init_crash_loop: timedelta = timedelta(minutes=10)
    init_running: timedelta | None = None
    active_margin: timedelta = timedelta(minutes=1)
    terminating_margin: timedelta | None = timedelta(minutes=1)


class StartProblemKind(StrEnum):
    """Why a pod does not start. A kind covers reasons that alternate, such as ErrImagePull and ImagePullBackOff."""

    HOPELESS = "hopeless"
    UNSCHEDULABLE = "unschedulable"
    PREPARING = "preparing"
    IMAGE = "image"
    CONFIG = "config"
    CREATE = "create"
    INIT_CRASH_LOOP = "init-crash-loop"
    INIT_RUNNING = "init-running"


def grace(kind: StartProblemKind, deadlines: Deadlines) -> timedelta | None:
    """How long a problem of this kind may last; ``None`` is no limit."""
    return {
        StartProblemKind.HOPELESS: timedelta(0),
        StartProblemKind.UNSCHEDULABLE: deadlines.unschedulable,
        StartProblemKind.PREPARING: deadlines.preparing,
        StartProblemKind.IMAGE: deadlines.image,
        StartProblemKind.CONFIG: deadlines.config,
        StartProblemKind.CREATE: deadlines.create,
        StartProblemKind.INIT_CRASH_LOOP: deadlines.init_crash_loop,
        StartProblemKind.INIT_RUNNING: deadlines.init_running,
    }[kind]


def later(at: datetime, by: timedelta | None) -> datetime | None:
    """``at`` plus ``by``; ``None`` is never, also where the sum is beyond what a datetime can hold."""
    try:
        return None if by is None else at + by
    except OverflowError:
        return None


def seconds(number: int) -> timedelta | None:
    """A timedelta; ``None`` where the number is too large for one (int64 fields of a pod may hold any)."""
    try:
        return timedelta(seconds=number)
    except OverflowError:
        return None


def earliest(*times: datetime | None) -> datetime | None:
    """The earliest time; ``None`` (never) does not count."""
    return min([at for at in times if at is not None], default=None)
