"""Lists of the pods of runs: RunEvent.runs_listed <-> RunsListed."""

from agent.api.v1 import events_pb2 as pb
from agent.core.run_event import ListedRun, RunsListed
from agent.wire.envelope import read_required_time
from agent.wire.error import WireError
from agent.wire.pod_reference import fill_pod_reference, read_pod_reference
from agent.wire.time import fill_time, read_time
from agent.wire.words import CONFIRMATIONS, RUN_PHASES


def fill_list(message: pb.RunEvent, page: RunsListed) -> None:
    """Write a page into an empty message."""
    message.event_id = page.event_id
    message.cluster_id = page.cluster_id
    message.cluster = page.cluster
    fill_time(message.occurred_time, page.listed_at)
    fill_time(message.observed_time, page.listed_at)
    listed = message.runs_listed
    listed.list_id = page.list_id
    listed.page = page.page
    listed.pages = page.pages
    if page.as_of is not None:
        fill_time(listed.as_of_time, page.as_of)
    for run in page.runs:
        _fill_run(listed.runs.add(), run)


def _fill_run(message: pb.ListedRun, run: ListedRun) -> None:
    fill_pod_reference(message.pod, run.pod)
    message.job_id = run.job_id
    message.run_id = run.run_id
    message.queue = run.queue
    message.state = RUN_PHASES.number[run.phase]
    message.gated = run.gated
    if run.confirmed is not None:
        message.confirmed = CONFIRMATIONS.number[run.confirmed]


def read_list(message: pb.RunEvent) -> RunsListed:
    """The page in a message. Raises WireError where it cannot be put together with the others of its list."""
    listed = message.runs_listed
    if not listed.list_id:
        raise WireError("list_id missing from the list")
    if not 0 <= listed.page < listed.pages:
        raise WireError(f"page {listed.page} of {listed.pages} of a list")
    return RunsListed(
        event_id=message.event_id,
        cluster_id=message.cluster_id,
        cluster=message.cluster,
        list_id=listed.list_id,
        page=listed.page,
        pages=listed.pages,
        as_of=read_time(listed.as_of_time) if listed.HasField("as_of_time") else None,
        listed_at=read_required_time(message, "occurred_time"),
        runs=tuple(map(_read_run, listed.runs)),
    )


def _read_run(message: pb.ListedRun) -> ListedRun:
    if not (message.run_id and message.pod.uid):
        raise WireError("run_id or uid of the pod missing from a run of the list")
    return ListedRun(
        pod=read_pod_reference(message.pod),
        job_id=message.job_id,
        run_id=message.run_id,
        queue=message.queue,
        phase=RUN_PHASES.word(message.state),
        gated=message.gated,
        # One that only a later version knows confirms nothing here: the pod may live.
        confirmed=CONFIRMATIONS.find(message.confirmed),
    )
