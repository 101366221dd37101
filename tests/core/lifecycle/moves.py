"""The moves of the model: for each, what it may apply to now, and what it does."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import accumulate
from typing import Any, Final

from agent.core.lifecycle.advance import wakes_at
from agent.core.lifecycle.effects import Create, Discard, Start, Stop
from agent.core.lifecycle.inputs import (
    Cancel,
    LeaseExpired,
    LimitLowered,
    NeverRetry,
    Preempted,
    Retry,
    RunFailed,
    TimePassed,
)
from agent.core.lifecycle.run import Fail
from agent.core.lifecycle.waits import ForCluster
from tests.core.lifecycle.world import CLUSTER, Message, Pod, World, denied, rejected

Item = Any  # of whatever a move applies to


@dataclass(frozen=True, slots=True)
class Move:
    """``items``: what it applies to now; none, and it cannot be made. ``share``: how often, beside the others."""

    name: str
    items: Callable[[Any], Sequence[Item]]
    make: Callable[[Any, Item], object]
    share: int = 1


def _commands(world: World) -> list[Message]:
    return [message for message in world.messages if isinstance(message.body, Create | Start | Stop | Discard)]


def _creates(world: World) -> list[Message]:
    return [message for message in world.messages if isinstance(message.body, Create)]


def _bindable(world: World) -> list[Pod]:
    return [pod for pod in world.pods if pod.may_run and not pod.alive]


def _alive(world: World) -> list[Pod]:
    return [pod for pod in world.pods if pod.alive]


def _killable(world: World) -> list[Pod]:
    """The kubelet kills what it sees deleted, or what is gone."""
    return [pod for pod in _alive(world) if (pod.deleting or not pod.exists) and not world.unreachable(pod)]


def _synced(world: World) -> list[Pod]:
    return [pod for pod in world.pods if pod.node and pod.exists and not world.unreachable(pod)]


def _lost(world: World) -> list[Pod]:
    return [pod for pod in world.pods if pod.exists and world.unreachable(pod)]


def _gated(world: World) -> list[Pod]:
    return [pod for pod in world.pods if pod.gated and pod.exists]


def _open_runs(world: World) -> list[str]:
    return [run.run_id for run in world.job.runs if run.is_open]


def _leasable(world: World) -> list[None]:
    return [None] if isinstance(world.wait(), ForCluster) else []


def _due(world: World) -> list[None]:
    wakes = wakes_at(world.job, world.now)
    return [None] if wakes is not None and wakes <= world.now else []


def _confirmable(world: World) -> list[str]:
    uid = world.confirmable()
    return [] if uid is None else [uid]


def _copy(world: World, pod: Pod, *, gated: bool) -> None:
    """Somebody copies the manifest, with its labels, under another name."""
    uid = world.new("copy")
    copy = Pod(uid, pod.run_id, name=uid, gated=gated)
    world.pods.append(copy)
    world.observe(copy)


def _force_delete(_: World, pod: Pod) -> None:
    """The object is gone, and the agent saw no deletionTimestamp; what runs goes on."""
    pod.exists = False


def _delete_gated(_: World, pod: Pod) -> None:
    pod.deleting, pod.exists = True, False


def _delete(_: World, pod: Pod) -> None:
    pod.deleting = True


def _gc(_: World, pod: Pod) -> None:
    pod.phase_failed = True


def _cut(world: World, node: str) -> None:
    world.cut_off = node


def _heal(world: World, _: str) -> None:
    world.cut_off = ""


def _halt(world: World, pod: Pod) -> None:
    """The agent says that the run must be stopped, such as stuck-terminating; its pod lives until it is deleted."""
    pod.burns = True
    world.send(RunFailed(cluster=CLUSTER, uid=pod.uid, verdict=Fail()))


def _expire(world: World, run_id: str) -> None:
    world.handle(LeaseExpired(run_id=run_id, verdict=Fail()))


def _wait(world: World, seconds: int) -> None:
    world.now += timedelta(seconds=seconds)


def _recently(world: World) -> list[Pod]:
    return world.pods[-6:]


REQUESTS: Final = (Cancel(), Retry(), Retry(again=True), NeverRetry(), LimitLowered())

MOVES: Final = (
    Move("deliver", lambda w: w.messages, lambda w, m: w.deliver(m), 24),
    Move("repeat", lambda w: w.sent, lambda w, body: w.messages.append(Message(body)), 2),
    Move("lose", _commands, lambda w, m: w.messages.remove(m), 2),
    Move("reject", _creates, rejected),
    Move("deny", _creates, denied),
    Move("lease", _leasable, lambda w, _: w.lease(), 8),
    Move("wake", _due, lambda w, _: w.handle(TimePassed()), 4),
    Move("wait", lambda _: (1, 5, 20, 60), _wait, 2),
    Move("bind", _bindable, lambda w, p: w.bind(p), 10),
    Move("succeed", _alive, lambda w, p: w.end(p, "succeeded")),
    Move("fail", _alive, lambda w, p: w.end(p, "failed"), 2),
    Move("kill", _killable, lambda w, p: w.end(p, "failed"), 6),
    Move("sync", _synced, lambda w, p: w.sync(p), 8),
    Move("observe", _recently, lambda w, p: w.observe(p), 3),
    Move("halt", _alive, _halt, 2),
    Move("preempt", _open_runs, lambda w, r: w.handle(Preempted(run_id=r, verdict=Fail())), 2),
    Move("expire", lambda w: _open_runs(w) if w.cut_off else [], _expire, 2),
    Move("cut off", lambda w: [] if w.cut_off else ["n1"], _cut, 3),
    Move("heal", lambda w: [w.cut_off] if w.cut_off else [], _heal),
    Move("PodGC", _lost, _gc, 6),
    Move("force deletion", lambda w: [p for p in w.pods if p.exists and not p.gated], _force_delete, 2),
    Move("delete", _synced, _delete),
    Move("delete gated", _gated, _delete_gated),
    Move("copy gated", _gated, lambda w, p: _copy(w, p, gated=True)),
    Move("copy ungated", _gated, lambda w, p: _copy(w, p, gated=False)),
    Move("confirm", _confirmable, lambda w, uid: w.confirm(uid), 4),
    Move("request", lambda _: REQUESTS, lambda w, r: w.handle(r)),
)


def step(world: World, number: int, moves: Sequence[Move] = ()) -> str:
    """Make the move that the number picks among those that can be made, and name it."""
    possible = [(move, items) for move in moves or MOVES if (items := move.items(world))]
    shares = list(accumulate(move.share for move, _ in possible))
    item, which = divmod(number, shares[-1])
    move, items = possible[bisect_right(shares, which)]
    move.make(world, items[item % len(items)])
    return move.name
