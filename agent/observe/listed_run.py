"""The pod of a run in a list of all of them, by the same functions as what is reported of it alone."""

from typing import Final

from agent.core.identity.rules import PRESETS, PresetName
from agent.core.run_event import ListedRun, RunPhase
from agent.kube import objects
from agent.observe.entry import RunProgress
from agent.observe.identity import identify, refer
from agent.observe.run_pod import confirmation
from agent.observe.success import FINISHED

_OURS: Final = PRESETS[PresetName.FAILURE_AGENT]


def listed_run(run: RunProgress, pod: objects.Pod, *, watched: bool) -> ListedRun:
    """The pod as its labels and its status say it. ``watched``: from its creation, without a gap."""
    identity = identify(pod, _OURS)
    return ListedRun(
        pod=refer(pod),
        job_id=identity.job_id,
        run_id=identity.run_id,
        queue=identity.queue,
        phase=_phase(run, pod),
        gated=run.gated,
        confirmed=confirmation(run, pod, watched=watched),
    )


def _phase(run: RunProgress, pod: objects.Pod) -> RunPhase:
    if run.phase is not RunPhase.SUCCEEDED and pod.status.phase in FINISHED:
        return RunPhase.FAILED
    return run.phase or RunPhase.PENDING
