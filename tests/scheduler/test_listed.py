"""Lists of the pods of runs, as the consumer takes them."""

from datetime import timedelta

import pytest

from agent.core.run_event import Confirmation, ListedRun, RunPhase, RunStopped, StopAnswer
from agent.scheduler.consume.handler import Decisions
from agent.scheduler.consume.listed import pods_of
from agent.store import run_lists
from agent.store.store import Store
from tests.scheduler.runs import CLUSTER, CONTAINERS, Loop
from tests.store.events import failed


@pytest.fixture
def loop(store: Store) -> Loop:
    """A job whose run was leased and has no pod yet."""
    loop = Loop(store)
    loop.submit()
    loop.lease()
    loop.wait(60)
    return loop


def kept(loop: Loop) -> dict[str, ListedRun]:
    """The pods of the whole list."""
    with loop.store.read() as connection:
        whole = run_lists.unfinished(connection)
        return {} if not whole else pods_of(run_lists.pages(connection, whole[0].list_id))


def started(loop: Loop) -> None:
    loop.see(loop.listed(gated=True))
    loop.tell(RunPhase.RUNNING)


def stopped(loop: Loop, confirmed: Confirmation | None = None) -> None:
    """Its run failed, and the agent answered the stop."""
    started(loop)
    loop.tell(failed())
    loop.wait(1)
    loop.tell(RunStopped(answer=StopAnswer.GONE), confirmed=confirmed)


def test_a_gated_pod_in_a_list_is_recorded_and_started(loop: Loop) -> None:
    loop.see(loop.listed(gated=True))

    assert (loop.job().runs[0].uid, loop.sent()) == ("j-u0", ["create j-r0", "start j-u0"])


def test_a_gated_pod_that_no_open_run_takes_is_discarded(loop: Loop) -> None:
    started(loop)
    loop.see(loop.listed("copy", gated=True), loop.listed(0, "k", gated=True))

    assert loop.sent()[2:] == ["discard copy", "discard k-u0"]


def test_a_pod_without_our_gate_is_never_recorded(loop: Loop) -> None:
    loop.see(loop.listed())

    assert (loop.job().runs[0].uid, loop.sent()) == (None, ["create j-r0"])


def test_a_pod_that_runs_needs_nothing(loop: Loop) -> None:
    started(loop)
    loop.wait(60)
    loop.see(loop.listed())

    assert loop.sent() == ["create j-r0", "start j-u0"]


def test_a_start_without_effect_is_sent_again(loop: Loop) -> None:
    loop.see(loop.listed(gated=True))
    loop.see(loop.listed(gated=True))
    assert loop.sent()[1:] == ["start j-u0"]

    loop.wait(60)
    loop.see(loop.listed(gated=True))
    assert loop.sent()[1:] == ["start j-u0"] * 2


@pytest.mark.parametrize(
    ("confirmed", "seen", "later", "stops"),
    [(None, None, 1, 2), (None, None, 0, 1), (None, CONTAINERS, 1, 1), (CONTAINERS, None, 1, 1)],
    ids=["it is there", "the list is as old as the answer", "it has ended", "its end was confirmed"],
)
def test_a_pod_whose_stop_was_answered_is_stopped_again_if_it_is_there(
    loop: Loop, confirmed: Confirmation | None, seen: Confirmation | None, later: float, stops: int
) -> None:
    stopped(loop, confirmed)
    loop.wait(later)
    loop.see(loop.listed(confirmed=seen))

    assert loop.sent()[2:] == ["stop j-u0"] * stops


def test_a_stop_without_an_answer_is_left_to_its_time(loop: Loop) -> None:
    started(loop)
    loop.tell(failed())
    loop.wait(1)
    loop.see(loop.listed())

    assert loop.sent()[2:] == ["stop j-u0"]


def test_a_list_is_put_together_from_pages_that_two_schedulers_took_in_any_order(loop: Loop) -> None:
    first, second, third = loop.pages([loop.listed()], [loop.listed("copy")], [])
    other = Decisions(loop.store, inputs=loop.inputs, clock=lambda _: loop.now)
    loop.decisions.handle([second])
    other.handle([first, second])
    assert kept(loop) == {}

    loop.decisions.handle([third])
    assert kept(loop).keys() == {"j-u0", "copy"}


def test_an_older_list_changes_nothing(loop: Loop) -> None:
    loop.see(loop.listed())
    loop.see(loop.listed("copy"), as_of=loop.now - timedelta(seconds=1))

    assert kept(loop).keys() == {"j-u0"}


def test_a_page_knows_its_place_at_the_broker(loop: Loop) -> None:
    loop.see()

    with loop.store.read() as connection:
        whole = run_lists.unfinished(connection)[0]
        places = [(page.topic, page.position) for page in run_lists.pages(connection, whole.list_id)]
    assert (whole.cluster_id, whole.as_of, places) == (CLUSTER, loop.now, [("run-events-east", "1")])
