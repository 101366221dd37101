from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from agent.broker.publish.in_flight import LARGEST_PAYLOAD
from agent.cluster.runs.list_pages import MOST, ListHead, pages_of
from agent.core.run_event import ListedRun, PodReference, RunPhase
from agent.observe.identity import LONGEST_NAME
from agent.wire.events import encode_list

AT = datetime(2026, 11, 21, tzinfo=UTC)
HEAD = ListHead(cluster_id="c1", cluster="east", list_id="l1", as_of=AT, listed_at=AT)


def run(uid: str, *, text: str = "x") -> ListedRun:
    pod = PodReference(namespace=text, name=text, uid=uid, node=text)
    return ListedRun(pod=pod, job_id=text, run_id=text, queue=text, phase=RunPhase.RUNNING, gated=False)


@given(count=st.integers(0, 40), at_most=st.integers(1, 12))
def test_the_pages_of_a_list_joined_are_the_list(count: int, at_most: int) -> None:
    runs = [run(str(number)) for number in range(count)]
    pages = list(pages_of(HEAD, runs, at_most=at_most))

    assert [each for page in pages for each in page.runs] == runs
    assert [page.page for page in pages] == list(range(pages[0].pages))
    assert all(len(page.runs) <= at_most for page in pages)
    assert len({page.event_id for page in pages}) == len(pages)
    assert all(page.runs for page in pages) or (count == 0 and len(pages) == 1), "no page is empty, or it is the list"


def test_the_ids_of_pages_come_from_cluster_list_and_number() -> None:
    pages = list(pages_of(HEAD, [run("u1"), run("u2")], at_most=1))
    assert [page.event_id for page in pages] == ["c1/list/l1/0", "c1/list/l1/1"]
    assert {(page.cluster_id, page.cluster, page.list_id, page.as_of) for page in pages} == {("c1", "east", "l1", AT)}


def test_the_largest_page_is_far_below_what_brokers_take() -> None:
    longest = "\N{PILE OF POO}" * (LONGEST_NAME // 4)
    (page,) = pages_of(HEAD, [run(longest, text=longest)] * MOST)
    assert len(encode_list(page)) < LARGEST_PAYLOAD / 4
