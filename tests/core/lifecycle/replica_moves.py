"""The moves of the model with replicas: what any of its processes does next, dies of, or does too late."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Final

from agent.core.lifecycle.advance import wakes_at
from agent.core.lifecycle.effects import Create
from agent.core.lifecycle.inputs import CreationFailed, Input, Retry, RunRejected, TimePassed
from agent.core.lifecycle.run import Fail
from agent.core.lifecycle.state import FINAL
from agent.core.lifecycle.waits import ForCluster
from tests.core.lifecycle.agents import Agent, Report, Result
from tests.core.lifecycle.made import BACKOFF
from tests.core.lifecycle.moves import MOVES, REQUESTS, Move, step
from tests.core.lifecycle.replicas import STEP, Replicas, Scheduler
from tests.core.lifecycle.world import CLUSTER, Message, Pod

Items = Callable[[Replicas], Sequence[object]]


def _takeable(world: Replicas) -> list[Message]:
    leader = world.acting
    mine = {id(message) for message in (*leader.taken, *(message for message, _ in leader.done))}
    return [message for message in world.commands() if id(message) not in mine]


def _taken(world: Replicas) -> list[tuple[Agent, Message]]:
    return [(agent, message) for agent in world.agents for message in agent.taken]


def _creating(world: Replicas) -> list[tuple[Agent, Message]]:
    return [(agent, message) for agent, message in _taken(world) if isinstance(message.body, Create)]


def _done(world: Replicas) -> list[tuple[Agent, Result]]:
    return [(agent, result) for agent in world.agents for result in agent.done]


def _publishing(world: Replicas) -> list[Agent]:
    return [agent for agent in world.agents if agent.spool]


def _visible(world: Replicas) -> list[tuple[Agent, Pod]]:
    return [(agent, pod) for agent in world.agents for pod in world.pods[-4:]]


def _leaders(world: Replicas) -> list[Scheduler]:
    return [scheduler for scheduler in world.schedulers if scheduler.epoch]


def _leaderless(world: Replicas) -> Sequence[Scheduler]:
    led = any(scheduler.epoch == world.epoch for scheduler in _leaders(world))
    return () if led else world.schedulers


def _publishers(world: Replicas) -> list[Scheduler]:
    return _leaders(world) if world.outbox else []


def _readers(world: Replicas) -> list[Scheduler]:
    return _leaders(world) if world.outbox or isinstance(world.wait(), ForCluster) else []


def _woken(world: Replicas) -> list[Scheduler]:
    wakes = wakes_at(world.job, world.now)
    return _leaders(world) if wakes is not None and wakes <= world.now else []


def _workers(world: Replicas) -> list[Agent]:
    return [world.acting] if world.acting.spool or world.commands() else []


def _idle(world: Replicas) -> list[Scheduler]:
    return [scheduler for scheduler in world.schedulers if scheduler.begun is None]


def _begun(world: Replicas) -> list[Scheduler]:
    return [scheduler for scheduler in world.schedulers if scheduler.begun is not None]


def _refuse(item: tuple[Agent, Message], answer: Report) -> None:
    """The API server creates no pod."""
    agent, message = item
    agent.taken.remove(message)
    agent.done.append((message, [answer]))


def _reject(world: Replicas, item: tuple[Agent, Message]) -> None:
    run_id = world.run_id_of(item[1].body)
    answer = RunRejected(cluster=CLUSTER, run_id=run_id, retry_at=world.now + BACKOFF, reason="quota")
    _refuse(item, answer)


def _deny(world: Replicas, item: tuple[Agent, Message]) -> None:
    run_id = world.run_id_of(item[1].body)
    world.denied.add(run_id)
    _refuse(item, CreationFailed(cluster=CLUSTER, run_id=run_id, verdict=Fail()))


def _halt(_: Replicas, pod: Pod) -> None:
    """It must be stopped, as its agent reports whenever it looks; it lives until it is deleted."""
    pod.burns = True


def _delete(_: Replicas, pod: Pod) -> None:
    pod.deleting = True


def _force_delete(_: Replicas, pod: Pod) -> None:
    """Nobody waits for the kubelet; only our finalizer keeps the object."""
    pod.deleting = pod.forced = True


def _cut(world: Replicas, node: str) -> None:
    world.cut_off = node


def _gc(_: Replicas, pod: Pod) -> None:
    pod.phase_failed = pod.deleting = pod.forced = True


def _remove(_: Replicas, pod: Pod) -> None:
    """A person takes our finalizer off, or the agent does: the broker has its end."""
    pod.exists = False


def _gated(world: Replicas) -> list[Pod]:
    return [pod for pod in world.pods if pod.exists and pod.gated]


def _copy_in_place(world: Replicas, pod: Pod) -> None:
    """Somebody deletes a pod by force, and creates it again from its manifest without our gate."""
    pod.exists = False
    world.pods.append(Pod(world.new("copy"), pod.run_id, name=pod.name, gated=False))


def _idle_strays(world: Replicas) -> list[str]:
    """Orphans that do not run, and never will."""
    strays = [pod for pod in world.pods if pod.uid in world.strays]
    return [pod.uid for pod in strays if not pod.may_run]


def _hand_over(world: Replicas, leader: int) -> None:
    """The other agent is the leader; this one does not know it yet."""
    world.leader = leader


def _wake(world: Replicas, scheduler: Scheduler) -> None:
    if scheduler.epoch == world.epoch:
        world.handle(TimePassed())


def _publish_rows(world: Replicas, scheduler: Scheduler) -> None:
    world.read(scheduler)
    while scheduler.rows:
        world.publish_row(scheduler)


def _repeat(world: Replicas, message: Message) -> None:
    world.messages.append(replace(message, position=len(world.published)))


def _delay(world: Replicas, message: Message) -> None:
    """A scheduler could not handle it; the broker waits."""
    world.messages.remove(message)
    world.late.append(message)


def _redeliver(world: Replicas, message: Message) -> None:
    world.late.remove(message)
    world.messages.append(message)


def _nodes(world: Replicas) -> list[str]:
    return [] if world.cut_off else sorted({pod.node for pod in world.pods if pod.alive})


def _pairs(world: Replicas, what: Sequence[Message | Input]) -> list[tuple[Scheduler, Message | Input]]:
    return [(scheduler, each) for scheduler in _idle(world) for each in what]


OURS: Final = (
    Move("take", _takeable, lambda w, m: w.take(w.acting, m), 6),
    Move("act", _taken, lambda w, item: w.act(*item), 12),
    Move("spool", _done, lambda w, item: w.spool(*item), 12),
    Move("publish", _publishing, lambda w, agent: w.publish(agent), 8),
    Move("work off", _workers, lambda w, agent: w.work_off(agent), 20),
    Move("report", _visible, lambda w, item: w.report(*item), 8),
    Move("list", lambda w: w.agents, lambda w, agent: w.list_pods(agent)),
    Move("ask for a list", _leaders, lambda w, scheduler: w.ask(scheduler), 2),
    Move("copy in its place", _gated, _copy_in_place),
    Move("vouch", _idle_strays, lambda w, uid: w.vouch(uid), 2),
    Move("reject", _creating, _reject, 2),
    Move("deny", _creating, _deny, 2),
    Move(
        "agent dies",
        lambda w: [agent for agent in w.agents if agent.taken or agent.done or agent.asked],
        lambda w, agent: w.die(agent),
    ),
    Move(
        "disk is lost",
        lambda w: [agent for agent in w.agents if agent.spool or agent.stopping],
        lambda w, agent: w.lose_disk(agent),
    ),
    Move("hand over", lambda w: [1 - w.leader], _hand_over),
    Move("land", lambda w: w.flying, lambda w, create: w.land(create)),
    Move("repeat", lambda w: w.published, _repeat, 2),
    Move("lose", lambda w: w.commands(), lambda w, m: w.messages.remove(m)),
    Move("delay", lambda w: w.reports(), _delay),
    Move("redeliver", lambda w: w.late, _redeliver, 4),
    Move("dead letter", lambda w: w.reports(), lambda w, m: w.bury(m)),
    Move("replay", lambda w: w.dead, lambda w, m: w.replay(m), 2),
    Move("take over", _leaderless, lambda w, s: w.take_over(s), 8),
    Move("overtake", lambda w: w.schedulers, lambda w, s: w.take_over(s)),
    Move("scheduler dies", lambda w: [s for s in w.schedulers if s.epoch or s.begun], lambda _, s: s.forget()),
    Move("read", _readers, lambda w, s: w.read(s), 12),
    Move("publish row", lambda w: [s for s in w.schedulers if s.rows], lambda w, s: w.publish_row(s), 16),
    Move("publish rows", _publishers, _publish_rows, 16),
    Move("lease", lambda w: [s for s in w.schedulers if s.may_lease], lambda w, s: w.lease_by(s), 24),
    Move("wake", _woken, _wake, 4),
    Move("begin", lambda w: _pairs(w, w.reports()), lambda w, item: w.begin(*item), 8),
    Move("reopen", lambda w: [Retry(again=True)] if w.job.state in FINAL else [], lambda w, r: w.handle(r), 8),
    Move("ask", lambda w: _pairs(w, REQUESTS), lambda w, item: w.begin(*item), 1),
    Move("commit", _begun, lambda w, s: w.commit(s), 12),
    Move("commit and die", _begun, lambda w, s: w.commit(s, acknowledged=False)),
    Move("catch up", lambda w: [w] * bool(w.reports()), lambda w, _: w.catch_up(), 16),
    Move("halt", lambda w: [pod for pod in w.pods if pod.alive], _halt, 2),
    Move("delete", lambda w: [pod for pod in w.pods if pod.exists], _delete),
    Move("cut off", _nodes, _cut, 3),
    Move("force deletion", lambda w: [pod for pod in w.pods if pod.exists], _force_delete),
    Move("PodGC", lambda w: [pod for pod in w.pods if pod.exists and w.unreachable(pod)], _gc, 6),
    Move("release", lambda w: [pod for pod in w.pods if w.may_be_released(pod)], _remove, 6),
    Move("finalizer off", lambda w: [pod for pod in w.pods if pod.exists and pod.deleting], _remove),
)

_INSTEAD: Final = {move.name for move in OURS} | {"deliver", "observe", "delete gated", "request"}
ALL: Final = (*OURS, *(move for move in MOVES if move.name not in _INSTEAD))


_PROGRESS: Final = frozenset(
    {"take", "act", "spool", "publish", "report", "take over", "read", "publish row", "lease", "wake"}
    | {"begin", "commit", "bind", "sync", "release", "wait", "reopen", "redeliver", "land"}
)
"""What a job needs to come to its end."""

_AT_ONCE: Final = {
    "work off": {"take", "act", "spool", "publish"},
    "publish rows": {"publish row"},
    "catch up": {"begin", "commit"},
}
"""What makes several moves in one, and which."""


def some_moves(draw: Random, often: Sequence[str] = ()) -> tuple[Move, ...]:
    """The moves of a walk: some things never happen in it, and others often, so that they meet.

    If it is given what happens often, most of the rest never happens.
    """
    factors = [_factor(each.name, draw, often) for each in ALL]
    return tuple(replace(each, share=each.share * factor) for each, factor in zip(ALL, factors, strict=True) if factor)


def _factor(name: str, draw: Random, often: Sequence[str]) -> int:
    if name in often:
        return 6
    if name in _PROGRESS:
        return 1
    if name in _AT_ONCE:
        return 0 if _AT_ONCE[name].intersection(often) else draw.choice((0, 1, 1))
    return draw.choice((0, 0, 0, 0, 1) if often else (0, 0, 1, 3))


def move(world: Replicas, number: int, moves: Sequence[Move]) -> None:
    """Make the move that the number picks, a moment after the one before."""
    world.now += STEP
    world.story.append(step(world, number, moves))
