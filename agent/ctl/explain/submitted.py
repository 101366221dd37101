"""What a card and the details say of a submitted job: why it waits, what came of verdicts, who asked for what."""

from collections.abc import Iterator
from datetime import datetime

from agent.core.failure_text.times import relative
from agent.core.lifecycle.job import EndedBy
from agent.store.recorded import JobEnding, OrphanPod, PersonsRequest, SubmittedPart, Timeline

_SHOWN_REQUESTS = 2
_SHOWN_ORPHANS = 2

PODS_STAY = "the pods of ended jobs stay in the cluster for now"
NODES_NOT_AVOIDED = "which nodes a retry avoids is not honoured yet"


def submitted_rows(timeline: Timeline, *, now: datetime) -> Iterator[tuple[str, str]]:
    """A label and a sentence for each row of a card; none for a job that nobody submitted."""
    job = timeline.submitted
    if job is None:
        return
    last = next((run for run in reversed(job.runs) if run.verdict), None)
    if last is not None and not job.wait and last.verdict == "retry":
        yield "Then", came_of(job, last.run_id, now=now)
    if job.ended and job.endings:
        yield "Ended", ending_in_words(job.endings[-1], now=now)
    if job.never_retry and not job.ended:
        yield "Forbidden", "further retries, by never-retry; retry lifts it"
    yield from (("Orphan", said) for said in _orphans(job, now=now))
    yield from (("Asked", said) for said in _requests(job, now=now))
    yield "Submitted", _submitted(job, now=now)
    yield from (("Note", note) for note in notes(timeline))


def submitted_ago(job: SubmittedPart, *, now: datetime) -> str:
    """What follows the state of a job of which no failure is known."""
    return f"submitted {relative(min(job.submitted_at, now), now)}"


def came_of(job: SubmittedPart, run_id: str, *, now: datetime) -> str:
    """What came of the verdict on a run; empty without one."""
    place = next((place for place, run in enumerate(job.runs) if run.run_id == run_id), None)
    if place is None or not job.runs[place].verdict:
        return ""
    run = job.runs[place]
    following = next((later for later in job.runs[place + 1 :] if later.closed_by != "rejected"), None)
    if run.grant_returned:
        return "the run succeeded after all, so its retry is not counted"
    if following is not None:
        granted = ", which a person granted" if following.granted else ""
        when = relative(min(following.opened_at, now), now)
        return f"run {following.index + 1} was leased to cluster {following.cluster} {when}{granted}"
    if not job.ended or not job.endings:
        return f"run {run.index + 2} is not leased yet"
    ending = ending_in_words(job.endings[-1], now=now)
    return ending if run.verdict == "fail" else "no run followed: the job ended first"


def ending_in_words(ending: JobEnding, *, now: datetime) -> str:
    """``failed, by verdict, 5 min ago``; a success is by itself."""
    by = "" if ending.by == EndedBy.SUCCESS else f", by {ending.by}"
    return f"{ending.state}{by}, {relative(min(ending.at, now), now)}"


def request_in_words(asked: PersonsRequest, *, now: datetime) -> str:
    """``retry by alice 5 min ago: the disk is repaired``."""
    reason = f": {asked.reason}" if asked.reason else ""
    refused = f" (refused: {asked.refused})" if asked.refused else ""
    return f"{asked.kind} by {asked.by} {relative(min(asked.at, now), now)}{reason}{refused}"


def orphan_in_words(orphan: OrphanPod, *, now: datetime) -> str:
    """``pod jobs/armada-x-0 on n1 in cluster east, uid 5f3b6c1e, found 5 min ago``."""
    said = (
        f"; {orphan.confirmed_by} vouched for its stop" if orphan.confirmed_by else "; the scheduler did not start it"
    )
    return f"{orphan.pod}, uid {orphan.uid}, found {relative(min(orphan.since, now), now)}{said}"


def notes(timeline: Timeline) -> Iterator[str]:
    """What is not done yet, where that matters to the job."""
    job = timeline.submitted
    if job is None:
        return
    verdicts = [run.verdict.verdict for run in timeline.runs if run.verdict is not None]
    if verdicts and verdicts[-1].avoid_nodes and not job.ended:
        yield NODES_NOT_AVOIDED
    if job.ended and job.runs and job.endings[-1].by != EndedBy.CANCEL:
        yield PODS_STAY


def _requests(job: SubmittedPart, *, now: datetime) -> Iterator[str]:
    """The latest requests, and how many came before."""
    shown = job.requests[-_SHOWN_REQUESTS:]
    for number, asked in enumerate(reversed(shown)):
        earlier = len(job.requests) - len(shown) if number == len(shown) - 1 else 0
        more = f"; {earlier} earlier, --details shows them" if earlier else ""
        yield f"{request_in_words(asked, now=now)}{more}"


def _orphans(job: SubmittedPart, *, now: datetime) -> Iterator[str]:
    """Those that hold the job come first. Anybody who may create pods can make many that name it."""
    yield from (orphan_in_words(orphan, now=now) for orphan in job.orphans[:_SHOWN_ORPHANS])
    if (others := len(job.orphans) - _SHOWN_ORPHANS) > 0:
        yield f"{others} more; --details shows them"


def _submitted(job: SubmittedPart, *, now: datetime) -> str:
    name = f" as {job.client_id}" if job.client_id else ""
    return f"{relative(min(job.submitted_at, now), now)} by {job.submitted_by}{name}"
