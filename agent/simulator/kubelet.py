"""The kubelet: plays the script that a pod's annotation names, and terminates pods that somebody deletes.

It also does the work of the scheduler, the taint manager and the pod garbage collector where a script says so. A pod
that can play no script stays pending, with an event that says why.
"""

from collections.abc import Callable, Mapping
from typing import Final, Literal, assert_never

from agent.simulator.assignment import Unplayable, assign
from agent.simulator.container_logs import ContainerLogs
from agent.simulator.event_source import EventSource
from agent.simulator.gates import gates_of
from agent.simulator.kinds import NODES, PODS, Json, Kind
from agent.simulator.ledger import Ledger
from agent.simulator.nodes import Nodes
from agent.simulator.play import Play
from agent.simulator.pod_status import Moment, apply_step, over, terminated
from agent.simulator.record import RunRecord
from agent.simulator.registry import Registry
from agent.simulator.script import EventText, Exit, NodeChange, Script, ScriptStep
from agent.simulator.store import StoredChange, key_of
from agent.simulator.timeline import Timeline
from agent.simulator.times import Clocks

_REMOVAL_SECONDS: Final = 0.2
_SCHEDULED: Final = EventText(
    type="Normal",
    reason="Scheduled",
    message="Successfully assigned {namespace}/{pod} to {node}",
    component="default-scheduler",
)


class Kubelet:
    """Plays scripts. ``on_ended`` is called for each run that ends, successful or not."""

    def __init__(  # noqa: PLR0913 - everything a kubelet touches
        self,
        registry: Registry,
        timeline: Timeline,
        *,
        scripts: Mapping[str, Script],
        nodes: Nodes,
        events: EventSource,
        logs: ContainerLogs,
        record: RunRecord,
        ledger: Ledger,
        clocks: Clocks,
        on_ended: Callable[[Play], None],
    ) -> None:
        self._registry = registry
        self._timeline = timeline
        self._scripts = scripts
        self._nodes = nodes
        self._events = events
        self._logs = logs
        self._record = record
        self._ledger = ledger
        self._clocks = clocks
        self._on_over = on_ended
        self._plays: dict[str, Play] = {}
        registry.store.listeners.append(self._notice)

    @property
    def playing(self) -> int:
        """Pods with a script that still exist."""
        return len(self._plays)

    def _notice(self, kind: Kind, change: StoredChange) -> None:
        if kind is not PODS:
            return
        uid = change.object["metadata"]["uid"]
        play = self._plays.get(uid)
        match change.type:
            case "ADDED" | "MODIFIED" if _schedulable(change):
                self._begin(change.object)
            case "DELETED" if play is not None:
                self._forget(play, change.object)
            case "DELETED":
                self._ledger.end(uid)
            case _:
                if play is not None and change.object["metadata"].get("deletionTimestamp") and not play.deleting:
                    self._interrupt(play, change.object)

    def _begin(self, pod: Json) -> None:
        match assign(pod, self._scripts):
            case Script() as script:
                play = Play(script=script, key=key_of(pod), uid=pod["metadata"]["uid"])
                self._plays[play.uid] = play
                self._schedule(play)
            case Unplayable(why):
                self._timeline.after(0, lambda: self._refuse(pod, why))
            case None:
                pass
            case never:
                assert_never(never)

    def _refuse(self, pod: Json, why: str) -> None:
        event = EventText(reason="FailedScheduling", message=why, component="default-scheduler")
        self._events.about(pod, event, why, host="", now=self._clocks.server())

    def _schedule(self, play: Play) -> None:
        step = play.next_step
        if step is None:
            self._finish(play)
        else:
            self._timeline.after(step.delay, lambda: self._advance(play))

    def _advance(self, play: Play) -> None:
        """Do the next step, unless the pod is gone or somebody deleted it."""
        step = play.next_step
        pod = self._pod(play)
        if step is None or play.interrupted or pod is None:
            return
        play.step += 1
        self._do(play, pod, step)
        self._schedule(play)

    def _do(self, play: Play, pod: Json, step: ScriptStep) -> None:
        if step.bind is not None:
            pod = self._bind(play, pod, step.bind)
        moment = self._moment(play, pod)
        for container, text in step.log.items():
            self._logs.append(play.uid, container, moment.fill(text))
        if step.writes_status:
            pod = self._write(play, pod, step, moment)
        for event in step.events:
            self._emit_event(pod, event, moment)
        if step.node is not None:
            self._change_node(pod, step.node, moment)
        if step.record is not None:
            self._end(play, pod, kind="halt" if step.record == "halt" else play.script.kind)
        if step.delete is not None or step.remove:
            play.deleting = True
            self._delete(play, grace=0 if step.delete is None else step.delete)

    def _moment(self, play: Play, pod: Json) -> Moment:
        """Now, by the clock of the pod's node."""
        now = self._clocks.node(pod["spec"].get("nodeName", ""))
        return Moment(now=now, fill=lambda text: play.fill(pod, text))

    def _bind(self, play: Play, pod: Json, where: Literal["shared", "own"]) -> Json:
        if pod["spec"].get("nodeName"):
            return pod
        now = self._clocks.server()
        if where == "own":
            play.own_node = self._nodes.own(now)
        node = play.own_node or self._nodes.shared()
        self._registry.bind(play.key, {"target": {"name": node}})
        scheduled = self._registry.get(PODS, play.key)
        self._emit_event(scheduled, _SCHEDULED, Moment(now=now, fill=lambda text: play.fill(scheduled, text)))
        return scheduled

    def _write(self, play: Play, pod: Json, step: ScriptStep, moment: Moment) -> Json:
        written = self._registry.write_status(play.key, apply_step(pod, step, moment))
        for container in step.restarted:
            self._logs.rotate(play.uid, container)
            script, at = play.script, self._clocks.server()
            self._record.write(written, script=script.name, kind=script.kind, at=at, in_run=True)
        for container in (*step.running, *step.restarted):
            self._emit_event(pod, _normal("Started", f"Started container {container}"), moment)
        return written

    def _emit_event(self, pod: Json, event: EventText, moment: Moment) -> None:
        node = pod["spec"].get("nodeName", "")
        self._events.about(pod, event, moment.fill(event.message), host=node, now=moment.now)

    def _change_node(self, pod: Json, change: NodeChange, moment: Moment) -> None:
        name = pod["spec"]["nodeName"]
        node = self._registry.store.get(NODES, ("", name))
        if node is not None:
            for event in change.events:
                self._events.about(node, event, moment.fill(event.message), host=name, now=moment.now)
        self._nodes.change(name, change, moment)

    def _delete(self, play: Play, *, grace: int) -> None:
        if self._pod(play) is not None:
            options = {"gracePeriodSeconds": grace, "preconditions": {"uid": play.uid}}
            self._registry.delete(PODS, play.key, options)

    def _end(self, play: Play, pod: Json, *, kind: str) -> None:
        if not play.recorded:
            play.recorded = kind
            self._record.write(pod, script=play.script.name, kind=kind, at=self._clocks.server(), in_run=False)

    def _finish(self, play: Play) -> None:
        if not play.ended:
            play.ended = True
            self._on_over(play)

    def _interrupt(self, play: Play, pod: Json) -> None:
        """Somebody else deleted the pod: its containers get their grace period, then it is removed.

        A second deletion can shorten the grace period of the first.
        """
        grace = pod["metadata"].get("deletionGracePeriodSeconds") or 0
        if play.grace is not None and grace >= play.grace:
            return
        play.interrupted, play.grace = True, grace
        wait, ending = play.script.stop.within(grace)
        self._timeline.after(wait, lambda: self._kill(play, ending))

    def _pod(self, play: Play) -> Json | None:
        """The pod, if it is still there: another one may have its name."""
        pod = self._registry.store.get(PODS, play.key)
        return pod if pod is not None and pod["metadata"]["uid"] == play.uid else None

    def _kill(self, play: Play, ending: Exit) -> None:
        pod = self._pod(play)
        if pod is None:
            return
        if not over(pod) or self._ledger.lives(play.uid):
            self._end(play, self._kill_containers(play, pod, ending), kind="deleted")
        self._finish(play)
        self._timeline.after(_REMOVAL_SECONDS, lambda: self._delete(play, grace=0))

    def _kill_containers(self, play: Play, pod: Json, ending: Exit) -> Json:
        if not pod["spec"].get("nodeName"):
            return pod
        moment = self._moment(play, pod)
        self._emit_event(pod, _normal("Killing", "Stopping containers"), moment)
        return self._registry.write_status(play.key, terminated(pod, ending, moment))

    def _forget(self, play: Play, last: Json) -> None:
        """The pod is gone from the server; a run that was still active ended with it."""
        del self._plays[play.uid]
        self._logs.forget(play.uid)
        self._stop_what_lives(play, last)
        if play.own_node:
            self._timeline.after(_REMOVAL_SECONDS, lambda: self._nodes.remove(play.own_node))
        if not play.ended and not play.deleting:
            play.interrupted = True
            self._end(play, last, kind="deleted")
        self._finish(play)  # what its script would still do needs the pod

    def _stop_what_lives(self, play: Play, last: Json) -> None:
        """Stop the containers of a pod that is gone from the server. They have the grace period of its spec."""
        if not self._ledger.lives(play.uid):
            self._ledger.end(play.uid)
            return
        wait, _ = play.script.stop.within(last["spec"]["terminationGracePeriodSeconds"])
        self._timeline.after(wait, lambda: self._ledger.end(play.uid))


def _schedulable(change: StoredChange) -> bool:
    """Whether a scheduler learns of this pod now: it is new, or its last gate is off. Not one that is being deleted."""
    pod, before = change.object, change.previous
    waited = before is None or gates_of(before)
    return bool(waited) and not gates_of(pod) and not pod["metadata"].get("deletionTimestamp")


def _normal(reason: str, message: str) -> EventText:
    return EventText(type="Normal", reason=reason, message=message)
