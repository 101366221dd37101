"""Submitted jobs, drawn: any values that rows must hold, whether or not inputs lead to them."""

from datetime import UTC, datetime, timedelta
from typing import Final

from hypothesis import strategies as st

from agent.core.lifecycle.job import EndedBy, Ending, NextRun, SubmittedJob
from agent.core.lifecycle.run import (
    Closed,
    Closing,
    Fail,
    GracefulShutdown,
    JobRun,
    LostCluster,
    NameHeld,
    RetryAt,
    RunTerms,
)
from agent.core.lifecycle.state import State
from agent.core.run_event import Confirmation, RunPhase, StopAnswer

TIMES: Final = st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis adds the zone
COUNTS: Final = st.integers(0, 2**31 - 1)
TEXTS: Final = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)
IDS: Final = st.text("abcdef-0123456789", min_size=1, max_size=12)

_terms = st.builds(
    RunTerms,
    lost_cluster=st.sampled_from(LostCluster),
    graceful_shutdown=st.sampled_from(GracefulShutdown),
    grace=st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=366)),
)
_names_held = st.builds(NameHeld, uid=IDS, since=TIMES)
_closings = st.builds(Closed, why=st.sampled_from(Closing), at=TIMES)
_verdicts = st.builds(RetryAt, at=TIMES) | st.just(Fail())
_nexts = st.builds(
    NextRun, index=COUNTS, attempt=COUNTS, not_before=st.none() | TIMES, granted=st.booleans(), rejected=TEXTS
)


def runs(run_id: st.SearchStrategy[str] = IDS, uid: st.SearchStrategy[str] = IDS) -> st.SearchStrategy[JobRun]:
    """Any run."""
    return st.builds(
        JobRun,
        run_id=run_id,
        index=COUNTS,
        attempt=COUNTS,
        cluster=st.sampled_from(("east-id", "west-id")),
        terms=_terms,
        opened_at=TIMES,
        sent_at=TIMES,
        sent=COUNTS,
        generation=COUNTS,
        granted=st.booleans(),
        uid=st.none() | uid,
        node=TEXTS,
        pod_name=TEXTS,
        phase=st.none() | st.sampled_from(RunPhase),
        name_held=st.none() | _names_held,
        closed=st.none() | _closings,
        verdict=st.none() | _verdicts,
        grant_returned=st.booleans(),
        answered=st.none() | st.sampled_from(StopAnswer),
        confirmed=st.none() | st.sampled_from(Confirmation),
    )


@st.composite
def jobs(draw: st.DrawFn, job_id: str = "j") -> SubmittedJob:
    """Any job whose runs and pods have ids of their own, and whose ending is of its opening."""
    opening = draw(st.integers(0, 2**31 - 2))
    endings = st.builds(
        Ending, state=st.sampled_from(State), by=st.sampled_from(EndedBy), at=TIMES, opening=st.just(opening)
    )
    some = st.lists(
        runs(), max_size=4, unique_by=(lambda run: run.run_id, lambda run: (run.cluster, run.uid or object()))
    )
    return SubmittedJob(
        job_id=job_id,
        state=draw(st.sampled_from(State)),
        runs=tuple(draw(some)),
        next=draw(st.none() | _nexts),
        ending=draw(st.none() | endings),
        opening=opening,
        never_retry=draw(st.booleans()),
    )
