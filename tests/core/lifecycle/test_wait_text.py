"""Why a job waits, in words."""

from dataclasses import replace
from datetime import timedelta

import pytest

from agent.core.lifecycle.job import Orphan
from agent.core.lifecycle.wait_text import Surroundings, in_words
from agent.core.lifecycle.waits import Doubt, ForAnswer, ForHeartbeat, NotListed, RetriesStopped, why_it_waits
from tests.core.lifecycle.made import T0, play

ABOUT = Surroundings(namespace="team", no_cluster="all are full", clusters={"east": "prod-east"})
STOP = "has waited 1 min for the stop of pod team/armada-j-0 on n1 in cluster prod-east"
ASKS = "; if you are sure that it no longer runs: failctl confirm-stopped r0"
NEXT = "run {} starts in 5 s; the scheduler leases it to a cluster with room"
LEASED, CREATED, RUNNING = "0 leased r0 confirmed", "1 created r0 u0", "2 running u0"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((), "all are full"),
        ((LEASED,), "has waited 1 min for the answer of cluster prod-east"),
        (
            (LEASED, "2 name-taken r0 u9"),
            "the name of its pod belongs to an earlier pod, u9, in cluster prod-east, for 1 min",
        ),
        (
            (LEASED, CREATED, RUNNING, "3 failed u0 retry"),
            STOP,
        ),
        (
            ("0 leased r0 timer", CREATED, "90 failed u0 retry"),
            "has waited 10 s for the stop of pod team/armada-j-0 in cluster prod-east; goes on without it in 20 s",
        ),
        (
            (LEASED, CREATED, RUNNING, "3 failed u0 retry", "4 stopped u0 gone"),
            f"{STOP}, whose object is gone: nothing proves that it ended{ASKS}",
        ),
        ((LEASED, CREATED, "95 failed u0 retry confirmed"), NEXT.format(2)),
        ((LEASED, "95 rejected r0"), f"a cluster rejected the run (quota); {NEXT.format(1)}"),
    ],
)
def test_every_wait_has_its_words(lines: tuple[str, ...], words: str) -> None:
    now = T0 + timedelta(seconds=100)
    wait = why_it_waits(play(*lines)[0], now, retries_stopped=False)

    assert wait is not None
    assert in_words(wait, ABOUT, now=now) == words


@pytest.mark.parametrize(("seconds", "asks"), [(603, True), (602, False)])
def test_a_person_is_asked_after_a_long_wait_that_no_time_ends(seconds: int, *, asks: bool) -> None:
    now = T0 + timedelta(seconds=seconds)
    job, _ = play(LEASED, CREATED, RUNNING, "3 failed u0 retry")
    wait = why_it_waits(job, now, retries_stopped=False)

    assert wait is not None
    assert in_words(wait, ABOUT, now=now).endswith(ASKS) is asks


ORPHAN = Orphan(cluster="east", uid="o", pod_name="armada-j-0", node="n1", since=T0)
SURE = "if you are sure that it does not run: failctl confirm-stopped o"
UNDER = "pod team/armada-j-0 on n1 in cluster prod-east"
NOBODY = "which the scheduler did not start"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((LEASED,), f"cannot create its pod for 1 min: {UNDER}, uid o, {NOBODY}, has its name; delete that one"),
        (
            (LEASED, CREATED, RUNNING, "3 failed u0 retry confirmed"),
            f"has waited 1 min for {UNDER}, {NOBODY}: delete it, or, {SURE}",
        ),
    ],
)
def test_an_orphan_is_named_with_what_to_do(lines: tuple[str, ...], words: str) -> None:
    now = T0 + timedelta(seconds=100)
    wait = why_it_waits(replace(play(*lines)[0], orphans=(ORPHAN,)), now, retries_stopped=False)

    assert wait is not None
    assert in_words(wait, ABOUT, now=now) == words


@pytest.mark.parametrize(
    ("doubt", "words"),
    [
        (Doubt.UNREAD, "only if broker.pulsar.adminUrl of the scheduler is set"),
        (Doubt.LOST, "messages of the cluster are lost (failctl broker gaps): cancel the job if its pod is gone"),
        (Doubt.DEAD, "a message about the job may be a dead letter: failctl dlq list"),
    ],
)
def test_a_pod_that_is_gone_is_named_with_why_nothing_follows(doubt: Doubt, words: str) -> None:
    now = T0 + timedelta(seconds=100)
    job, _ = play(LEASED, CREATED, RUNNING)
    wait = why_it_waits(job, now, retries_stopped=False, not_listed=NotListed(as_of=now, doubt=doubt))

    assert wait is not None
    said = in_words(wait, ABOUT, now=now)
    assert said.startswith(f"the list of the cluster's pods as of {now:%Y-%m-%d %H:%M:%S} UTC does not have pod team/")
    assert said.endswith(words)


def test_only_a_recorded_pod_can_be_missing_and_a_silent_cluster_comes_first() -> None:
    now = T0 + timedelta(seconds=100)
    gone = NotListed(as_of=now, doubt=Doubt.DEAD)
    leased, running = play(LEASED)[0], play(LEASED, CREATED, RUNNING)[0]

    assert isinstance(why_it_waits(leased, now, retries_stopped=False, not_listed=gone), ForAnswer)
    assert isinstance(
        why_it_waits(running, now, retries_stopped=False, not_listed=gone, silent={"east": T0}), ForHeartbeat
    )
    assert why_it_waits(running, now, retries_stopped=False) is None


def test_a_stopped_setting_is_named() -> None:
    assert in_words(RetriesStopped(), ABOUT, now=T0) == "the setting retries.stopped holds all retries"


def test_the_cluster_that_would_take_the_run_is_named() -> None:
    now = T0 + timedelta(seconds=100)
    wait = why_it_waits(play(LEASED, CREATED, "95 failed u0 retry confirmed")[0], now, retries_stopped=False)

    assert wait is not None
    said = in_words(wait, replace(ABOUT, takes="prod-east"), now=now)
    assert said == "run 2 starts in 5 s; the scheduler leases it to cluster prod-east"
