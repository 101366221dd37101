"""Makes jobs: pods as Armada's executor makes them, each with a script to play, and new runs of those that failed."""

import random
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from agent.simulator.job import Job, new_job, pod_of
from agent.simulator.kinds import PODS, Json, Kind
from agent.simulator.plan import Plan
from agent.simulator.play import Play
from agent.simulator.registry import Registry
from agent.simulator.script import Script
from agent.simulator.store import Key, StoredChange
from agent.simulator.timeline import Timeline
from agent.simulator.times import Seconds, seconds

_TICK: Final = 0.01
_UNHELD_HALT_SECONDS: Final = 30.0
_SAME_FAILURE_SHARE: Final = 0.7
"""The share of retried runs that play the same script again."""


class Workload:
    """Makes runs until its time is up; it is ``done`` once everything it made has ended."""

    def __init__(
        self, registry: Registry, timeline: Timeline, *, plan: Plan, scripts: Mapping[str, Script], rng: random.Random
    ) -> None:
        self._registry = registry
        self._timeline = timeline
        self._plan = plan
        self._scripts = scripts
        self._rng = rng
        self._jobs: dict[str, Job] = {}
        self._waiting_for_release: set[Key] = set()
        self._jobs_due = 0.0
        self._counted_until = 0.0
        self._pending = 0
        self.created = 0
        self.ended = 0
        self.stopped = False
        registry.store.listeners.append(self._notice)

    @property
    def running(self) -> int:
        """How many runs have not ended."""
        return self.created - self.ended

    @property
    def done(self) -> bool:
        """Whether no run is active and none will be made."""
        return self.stopped and self.running == 0 and self._pending == 0

    def start(self) -> None:
        """Play every script once, then choose by weight at the plan's rate until the plan's time is up."""
        names = list(self._scripts)
        gap = seconds(self._plan.sweep) / max(1, len(names))
        for number, name in enumerate(names):
            self._pending += 1
            self._timeline.after(number * gap, partial(self._create_swept, name))
        self._timeline.after(seconds(self._plan.sweep), self._begin_mix)
        if self._plan.lasts > 0:
            self._timeline.after(self._plan.lasts, self._stop)

    def run_ended(self, play: Play) -> None:
        """A run has ended: delete its pod later, and perhaps retry it. A pod that a client created is the client's."""
        job = self._jobs.pop(play.uid, None)
        if job is None:
            return
        self.ended += 1
        self._clean_up(play)
        if not play.recorded or self.stopped or job.retries_left < 1:
            return
        self._pending += 1
        self._timeline.after(seconds(self._plan.retry_after), lambda: self._retry(job.next_run(self._rng)))

    def _stop(self) -> None:
        self.stopped = True

    def _create_swept(self, name: str) -> None:
        self._pending -= 1
        self._create(new_job(self._plan, self._scripts[name], self._rng))

    def _retry(self, job: Job) -> None:
        self._pending -= 1
        if self._rng.random() >= _SAME_FAILURE_SHARE:
            job = job.playing(
                self._choose([script for script in self._scripts.values() if not script.fails]) or job.script
            )
        self._create(job)

    def _begin_mix(self) -> None:
        self._counted_until = self._timeline.time()
        self._tick()

    def _tick(self) -> None:
        if self.stopped:
            return
        now = self._timeline.time()
        self._jobs_due += self._plan.rate * (now - self._counted_until)
        self._counted_until = now
        while self._jobs_due >= 1:
            self._jobs_due -= 1
            script = self._choose(list(self._scripts.values()))
            if script is not None:
                self._create(new_job(self._plan, script, self._rng))
        self._timeline.after(_TICK, self._tick)

    def _choose(self, scripts: Sequence[Script]) -> Script | None:
        mix = self._plan.mix
        weights = [mix.get(script.name, 0.0) if mix else script.weight for script in scripts]
        return self._rng.choices(scripts, weights)[0] if sum(weights) > 0 else None

    def _create(self, job: Job) -> None:
        pod = self._registry.create(PODS, pod_of(job, hold=self._plan.hold), namespace=job.namespace)
        self.created += 1
        self._jobs[pod["metadata"]["uid"]] = job

    def _clean_up(self, play: Play) -> None:
        """Delete the pod after a while. A halted one with a finalizer waits until the agent has released it."""
        pod = self._registry.store.get(PODS, play.key)
        if pod is None:
            return
        wait = seconds(self._plan.cleanup)
        if play.recorded == "halt":
            if pod["metadata"].get("finalizers"):
                self._waiting_for_release.add(play.key)
                return
            wait = _UNHELD_HALT_SECONDS
        self._delete_later(play.key, play.uid, wait)

    def _notice(self, kind: Kind, change: StoredChange) -> None:
        meta = change.object["metadata"]
        key = (meta.get("namespace") or "", meta["name"])
        if kind is not PODS or key not in self._waiting_for_release:
            return
        if change.type == "DELETED":
            self._waiting_for_release.discard(key)
        elif not meta.get("finalizers"):
            self._waiting_for_release.discard(key)
            self._delete_later(key, meta["uid"], seconds(self._plan.cleanup))

    def _delete_later(self, key: Key, uid: str, wait: Seconds) -> None:
        self._timeline.after(wait, lambda: self._delete(key, uid))

    def _delete(self, key: Key, uid: str) -> None:
        pod: Json | None = self._registry.store.get(PODS, key)
        if pod is not None and pod["metadata"]["uid"] == uid and not pod["metadata"].get("deletionTimestamp"):
            self._registry.delete(PODS, key, {"gracePeriodSeconds": 0})
