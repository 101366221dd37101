"""What is reported of the pods of submitted jobs that is no failure: created, pending, running, succeeded, stopped."""

from collections.abc import Callable, Iterator

from agent.cluster.pods.tracked import TrackedPod
from agent.cluster.runs.envelope import Envelope
from agent.cluster.spool.entries import Report, SpoolEntry
from agent.core.run_event import Confirmation, RunCreated, RunPhase, RunStopped, StopAnswer
from agent.kube import objects
from agent.observe.entry import PodEntry, RunProgress
from agent.observe.run_pod import confirmation, has_ended, is_untouched, stop_answer


class RunReports:
    """Gives to the spool, by ``put``, what each new state of a pod says of its run.

    ``lists``, set once the informers exist, counts the lists of pods so far: a change may be missed before a list.
    """

    def __init__(self, envelope: Envelope, *, put: Callable[[SpoolEntry], None]) -> None:
        self.lists: Callable[[], int] = int
        self._envelope = envelope
        self._put = put

    def follow(
        self, tracked: TrackedPod, run: RunProgress, pod: objects.Pod | None, *, before: PodEntry | None
    ) -> None:
        """Report what is new of the run since ``before``."""
        tracked.followed(self.lists(), untouched=pod is not None and is_untouched(pod))
        confirmed = None if pod is None else confirmation(run, pod, watched=tracked.watched)
        unconfirmed = before is not None and _was_reported(before) and not run.confirmed
        tracked.confirmed(confirmed)
        news = (
            *self._progress(tracked, None if before is None else before.run, run, confirmed=confirmed),
            *self._stopped(tracked, run, pod, confirmed=confirmed, unconfirmed=unconfirmed),
        )
        for report in news:
            if report.event_id not in tracked.reported_before:
                tracked.amended()
                self._put(report)

    def _progress(
        self, tracked: TrackedPod, before: RunProgress | None, run: RunProgress, *, confirmed: Confirmation | None
    ) -> Iterator[Report]:
        identity, pod = tracked.entry.identity, tracked.entry.reference
        if before is None and run.gated:
            yield self._envelope.report(identity, pod, RunCreated(), gated=True)
        if run.phase is not None and (before is None or before.phase is not run.phase):
            of_success = confirmed if run.phase is RunPhase.SUCCEEDED else None
            yield self._envelope.report(identity, pod, run.phase, confirmed=of_success)

    def _stopped(
        self,
        tracked: TrackedPod,
        run: RunProgress,
        pod: objects.Pod | None,
        *,
        confirmed: Confirmation | None,
        unconfirmed: bool,
    ) -> Iterator[Report]:
        """The answer to a stop, once, whichever process of the agent deleted the pod for it.

        Also without a stop, if the failure was reported before anything confirmed the end (``unconfirmed``). Our
        finalizer comes off now, so a later question would find nothing that confirms it.
        """
        ended = tracked.left or (pod is not None and has_ended(pod, confirmed))
        waited_for = tracked.entry.stopping or (unconfirmed and confirmed is not None)
        if ended and waited_for and not (tracked.answered or run.discarded):
            tracked.stop_answered()
            answer = RunStopped(answer=StopAnswer.GONE if pod is None else stop_answer(run, pod))
            identity, of = tracked.entry.identity, tracked.entry.reference
            yield self._envelope.report(identity, of, answer, confirmed=confirmed, gated=run.gated)


def _was_reported(entry: PodEntry) -> bool:
    """Whether a failure was reported that closes the run."""
    return entry.ended is not None or entry.halted is not None
