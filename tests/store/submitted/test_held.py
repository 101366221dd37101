"""What is loaded is what was saved, whatever the job."""

from dataclasses import replace

import pytest
from hypothesis import given
from sqlalchemy import Connection, event, select, update

from agent.core.evidence import ContainerKind, ContainerMemory
from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.effects import Step
from agent.core.lifecycle.inputs import Leased
from agent.core.lifecycle.job import EndedBy, Ending, Orphan, SubmittedJob
from agent.core.lifecycle.names import PodNames
from agent.core.lifecycle.state import State
from agent.store import listed_orphans
from agent.store.errors import RowRefused
from agent.store.store import Store
from agent.store.submitted.changes import Change, save, set_memory
from agent.store.submitted.held import Held, jobs_with_orphans, load, specs
from agent.store.submitted.tables import ending_table, job_table, run_table
from tests.core.lifecycle.made import T0, TIMER, play
from tests.store.databases import rolled_back
from tests.store.submitted.drawn import jobs
from tests.store.submitted.made import POD, SUBMISSION, change, new_job, played, submit
from tests.store.test_orphans import orphan


def following(first: SubmittedJob, second: SubmittedJob) -> SubmittedJob:
    """The second job as one that the first may become: it keeps its runs, and its ending until it is opened again."""
    runs = (*first.runs, *(run for run in second.runs if first.run(run.run_id) is None))
    if first.ending is not None:
        return replace(second, runs=runs, opening=first.opening + 1, ending=None)
    ending = None if second.ending is None else replace(second.ending, opening=first.opening)
    return replace(second, runs=runs, opening=first.opening, ending=ending)


def test_any_job_comes_back_as_it_was_saved_also_over_another(store: Store) -> None:
    @given(first=jobs(), second=jobs())
    def holds(first: SubmittedJob, second: SubmittedJob) -> None:
        later = following(first, second)
        pods = [(run.cluster, run.uid) for run in later.runs if run.uid]
        with rolled_back(store) as connection:
            submit(connection, new_job("j"))
            change(connection, first, before=SubmittedJob(job_id="j", opening=first.opening))
            assert load(connection, ["j"])["j"].job == first
            if len(set(pods)) == len(pods):
                change(connection, later, before=first, wakes_at=T0)
                assert load(connection, ["j"])["j"].job == later

    holds()


def test_a_new_job_is_queued_and_due_at_once(store: Store) -> None:
    with store.write() as connection:
        submit(connection, new_job("j", priority=2.5, gang_id="g", retry_policies="a,b", name="train"))
        held = load(connection, ["j"])["j"]

        assert held == Held(
            job=SubmittedJob(job_id="j"),
            submission=replace(
                SUBMISSION, client_id="j", priority=2.5, gang_id="g", retry_policies="a,b", name="train"
            ),
        )
        assert specs(connection, ["j", "k"]) == {"j": POD}
        assert connection.scalars(select(job_table.c.wakes_at)).one() == SUBMISSION.submitted_at


def test_jobs_that_do_not_exist_are_left_out(store: Store) -> None:
    with store.write() as connection:
        submit(connection, new_job("j"))

        assert load(connection, ["j", "k"]).keys() == {"j"}
        assert load(connection, []) == {}


def test_many_jobs_are_loaded_by_four_queries(store: Store) -> None:
    asked: list[str] = []
    with store.write() as connection:
        expected = {
            f"j{number}": play(f"0s leased r{number} timer", f"1s created r{number} u{number}", job_id=f"j{number}")[0]
            for number in range(40)
        }
        submit(connection, *map(new_job, expected))
        save(
            connection,
            [Change(before=SubmittedJob(job_id=j), after=job, wakes_at=None, events=1) for j, job in expected.items()],
            at=T0,
        )
        event.listen(connection, "before_cursor_execute", lambda *given: asked.append(given[2]))
        found = load(connection, expected)

    assert {job_id: held.job for job_id, held in found.items()} == expected
    assert len(asked) == 4


def test_a_step_writes_only_the_runs_that_it_changed(store: Store) -> None:
    lines = ("0s leased r0 timer", "1s created r0 u0", "2s failed u0 retry confirmed", "99s leased r1 timer")
    with store.write() as connection:
        before = played(connection, "j", lines)
        marked = update(run_table).where(run_table.c.run_id == "r0").values(node="untouched")
        connection.execute(marked)
        after, _ = play(*lines, "100s created r1 u1", job_id="j")
        change(connection, after, before=before)
        found = load(connection, ["j"])["j"].job

    assert [(run.uid, run.node) for run in found.runs] == [("u0", "untouched"), ("u1", "")]


def test_the_memory_of_a_run_is_kept_when_the_run_changes(store: Store) -> None:
    more = (ContainerMemory(name="main", request=1, limit=2**40), ContainerMemory(name="i", kind=ContainerKind.INIT))
    with store.write() as connection:
        before = played(connection, "j", ("0s leased r0 timer",))
        set_memory(connection, {"r0": more})
        after, _ = play("0s leased r0 timer", "1s created r0 u0", job_id="j")
        change(connection, after, before=before)
        held = load(connection, ["j"])["j"]

    assert held.memory == {"r0": more}
    assert held.job == after


def test_a_job_keeps_the_ending_of_each_time_that_it_was_opened(store: Store) -> None:
    lines = ["0s cancel", "1s retry", "2s cancel"]
    with store.write() as connection:
        before = played(connection, "j", lines[:1])
        for count in (2, 3):
            after, _ = play(*lines[:count], job_id="j")
            change(connection, after, before=before)
            assert load(connection, ["j"])["j"].job == after
            before = after
        endings = connection.execute(select(ending_table.c.opening).order_by(ending_table.c.opening)).scalars().all()

    assert endings == [0, 1]


def test_a_second_ending_of_one_opening_is_refused(store: Store) -> None:
    with store.write() as connection:
        ended = played(connection, "j", ["0s cancel"])
    other = replace(ended, ending=Ending(state=State.FAILED, by=EndedBy.LIMIT, at=T0))

    with pytest.raises(RowRefused), store.write() as connection:
        change(connection, other, before=ended)


def test_a_change_that_would_lose_an_ending_is_refused(store: Store) -> None:
    again, _ = play("0s cancel", "1s retry", job_id="j")
    with store.write() as connection:
        submit(connection, new_job("j"))
        with pytest.raises(ValueError, match="job j ended and was opened again in one change"):
            change(connection, again)


def test_a_pod_belongs_to_one_run(store: Store) -> None:
    with store.write() as connection:
        played(connection, "j", ["0s leased r0 timer", "1s created r0 u0"])
        # The same uid in another cluster is another pod.
        played(connection, "k", ["0s leased r1 timer in-west", "1s created r1 u0 in-west"])

    with pytest.raises(RowRefused), store.write() as connection:
        played(connection, "l", ["0s leased r2 timer", "1s created r2 u0"])


def test_a_job_has_the_orphans_under_the_names_of_its_runs_in_their_place(store: Store) -> None:
    here = orphan("here", name="pod-j-0", job_id="what labels say")
    others = [
        orphan("other-name", name="pod-j-1", job_id="j"),
        orphan("other-cluster", name="pod-j-0", cluster="west"),
        replace(orphan("other-namespace", name="pod-j-0"), namespace="other"),
    ]
    with store.write() as connection:
        submit(connection, new_job("j"), new_job("k"))
        first = leased(connection, "j")
        leased(connection, "k")
        listed_orphans.add(connection, [here, *others])
        listed_orphans.confirm(connection, others[0], by="ann", reason="", at=T0)

        found = load(connection, ["j", "k"])
        known = Orphan(cluster="id-east", uid="here", pod_name="pod-j-0", node="n1", since=T0)
        assert (found["j"].job, found["k"].job.orphans) == (replace(first, orphans=(known,)), ())
        assert jobs_with_orphans(connection, ["here", "other-name", "other-cluster"]) == {"here": {"j"}}

        listed_orphans.confirm(connection, here, by="ann", reason="", at=T0)
        assert load(connection, ["j"])["j"].job.orphans == (replace(known, may_run=False),)


def leased(connection: Connection, job_id: str) -> SubmittedJob:
    """A job with a run whose pod is named after it."""
    lease = Leased(run_id=f"{job_id}-r", cluster="id-east", terms=TIMER, names=PodNames(prefix="pod-"))
    step = advance(SubmittedJob(job_id=job_id), lease, T0)
    assert isinstance(step, Step)
    change(connection, step.job)
    return step.job
