"""Job events, drawn."""

from datetime import timedelta

from hypothesis import strategies as st

from agent.core import job_event
from agent.core.lifecycle.job import EndedBy, Ending
from agent.core.lifecycle.state import FINAL, State
from agent.core.limit import VerdictAction
from tests.core.strategies import COUNTS, NAMES, TIMES, rows, texts


def job_events() -> st.SearchStrategy[job_event.JobEvent]:
    """Job events of every kind."""
    sizes = st.none() | st.integers(0, 2**62)
    raised = st.builds(
        job_event.MemoryRaised,
        container=texts(),
        request_before=sizes,
        request_after=sizes,
        limit_before=sizes,
        limit_after=sizes,
    )
    decided = st.builds(
        job_event.RunDecided,
        run_id=NAMES,
        attempt=st.none() | COUNTS,
        failure_id=texts(),
        action=st.sampled_from(VerdictAction),
        reason=texts(),
        sentence=texts(),
        policy=texts(),
        rule_number=st.none() | COUNTS,
        rule=texts(),
        rule_key=texts(),
        dialect=texts(),
        delay=st.none() | st.timedeltas(timedelta(0), timedelta(days=365)),
        not_before=st.none() | TIMES,
        avoid_nodes=rows(texts()),
        avoid_nodes_left_out=COUNTS,
        avoid_preferred=st.booleans(),
        memory=rows(raised),
        memory_left_out=COUNTS,
    )
    ending = st.builds(
        Ending, state=st.sampled_from(sorted(FINAL)), by=st.sampled_from(EndedBy), at=TIMES, opening=COUNTS
    )
    return st.builds(
        job_event.JobEvent,
        event_id=NAMES,
        job_id=NAMES,
        sequence=st.integers(1, 2**63 - 1),
        at=TIMES,
        queue=texts(),
        job_set=texts(),
        owner=texts(),
        namespace=texts(),
        state=st.none() | st.sampled_from(State),
        ending=st.none() | ending,
        event=decided
        | st.builds(
            job_event.JobSubmitted,
            client_id=texts(),
            name=texts(),
            priority=st.floats(allow_nan=False),
            gang_id=texts(),
            retry_policies=texts(),
        )
        | st.builds(
            job_event.RunLeased,
            run_id=NAMES,
            index=COUNTS,
            attempt=COUNTS,
            cluster_id=texts(),
            cluster=texts(),
            pod_name=texts(),
            granted=st.booleans(),
        )
        | st.builds(job_event.LeaseRejected, run_id=NAMES, retry_at=st.none() | TIMES, reason=texts())
        | st.builds(
            job_event.JobRequested,
            kind=st.sampled_from(job_event.RequestKind),
            by=texts(),
            reason=texts(),
            refused=texts(),
        )
        | st.builds(job_event.StateChanged),
    )
