from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.failure import ENDS, HALTS, Occurrence
from agent.kube import objects
from agent.observe.occurrence import Deadlines, Occurred, PodEntry, due, mark_stopping, observe
from tests.observe.pods import NOW, ago, pod, status, terminated, waiting

DEADLINES = Deadlines()
RUNNING = {"running": {"startedAt": ago(50)}}

Look = tuple[objects.Pod | None, bool, float]
"""A pod, whether this is its last state, and seconds after NOW."""


def see(pod_seen: objects.Pod | None, *, deleted: bool = False, after: float = 0) -> Look:
    return pod_seen, deleted, after


def told(*looks: Look, entry: PodEntry | None = None, deadlines: Deadlines = DEADLINES) -> list[Occurred]:
    """All that is told of one pod over several looks."""
    said: list[Occurred] = []
    for pod_seen, deleted, after in looks:
        entry, occurred = observe(
            entry, pod_seen, deleted=deleted, now=NOW + timedelta(seconds=after), deadlines=deadlines
        )
        said += occurred
    return said


def names(occurred: Iterable[Occurred]) -> list[str]:
    return [event.occurrence.value for event in occurred]


PENDING = pod(status("Pending", waiting("ContainerCreating")))
ALIVE = pod(status("Running", RUNNING))
FAILED = pod(status("Failed", terminated(1)))
SUCCEEDED = pod(status("Succeeded", terminated(0)))


def test_a_failed_pod_is_reported_once_with_the_time_its_last_container_ended() -> None:
    said = told(see(PENDING), see(ALIVE), see(FAILED), see(FAILED, after=5), see(FAILED, deleted=True, after=9))

    assert names(said) == ["pod-failed"]
    assert said[0].occurred_at == ago(1)


def test_a_failed_pod_seen_first_by_a_restarted_agent_is_reported_again() -> None:
    assert names(told(see(FAILED))) == names(told(see(FAILED))) == ["pod-failed"]


def test_a_clock_ahead_of_ours_does_not_count() -> None:
    ahead = pod(status("Failed", terminated(1, finishedAt=NOW + timedelta(hours=1))))

    assert told(see(ahead))[0].occurred_at == NOW


def test_a_pod_that_succeeded_is_not_reported() -> None:
    assert told(see(ALIVE), see(SUCCEEDED), see(SUCCEEDED, deleted=True)) == []
    assert told(see(SUCCEEDED), see(None, deleted=True)) == []


def test_a_pod_that_succeeded_although_a_container_failed_is_reported() -> None:
    assert names(told(see(pod(status("Succeeded", terminated(0), terminated(3)))))) == ["pod-failed"]


def with_init(phase: str, main: dict[str, Any], init: dict[str, Any], **spec: Any) -> objects.Pod:
    statuses = status(phase, main, initContainerStatuses=[{"name": "init", **init}])
    return pod(statuses, spec={"initContainers": [{"name": "init", **spec}]})


def test_a_succeeded_pod_is_reported_for_a_failed_init_container_not_for_a_killed_sidecar() -> None:
    init = with_init("Succeeded", terminated(0), {"state": terminated(1)})
    sidecar = with_init("Succeeded", terminated(0), {"state": terminated(137)}, restartPolicy="Always")

    assert names(told(see(init))) == ["pod-failed"]
    assert told(see(sidecar)) == []


@pytest.mark.parametrize("alive", [PENDING, ALIVE, pod(status("Unknown", RUNNING)), pod({})])
def test_a_pod_deleted_before_it_ended_was_deleted_by_somebody(alive: objects.Pod) -> None:
    assert names(told(see(alive), see(alive, deleted=True))) == ["deleted-externally"]
    assert names(told(see(alive, deleted=True))) == ["deleted-externally"]


def test_it_was_deleted_when_the_deletion_was_due() -> None:
    leaving = pod(status("Running", RUNNING), metadata={"deletionTimestamp": ago(4)})

    assert told(see(leaving), see(leaving, deleted=True))[0].occurred_at == ago(4)


def test_a_pod_whose_last_state_is_failed_has_failed() -> None:
    assert names(told(see(ALIVE), see(FAILED, deleted=True))) == ["pod-failed"]


def test_what_the_agent_deletes_was_not_deleted_by_somebody() -> None:
    entry, _ = observe(None, ALIVE, deleted=False, now=NOW, deadlines=DEADLINES)

    assert told(see(ALIVE, deleted=True), entry=mark_stopping(entry)) == []
    assert told(see(None, deleted=True), entry=mark_stopping(entry)) == []
    assert names(told(see(FAILED), entry=mark_stopping(entry))) == ["pod-failed"]


def test_a_known_pod_that_is_gone_is_missing_once() -> None:
    said = told(see(ALIVE), see(None, deleted=True, after=7), see(None, deleted=True, after=9))

    assert names(said) == ["missing"]
    assert said[0].occurred_at == NOW + timedelta(seconds=7)


def test_a_pod_that_was_reported_and_is_gone_is_not_missing() -> None:
    assert names(told(see(FAILED), see(None, deleted=True))) == ["pod-failed"]


def test_there_must_be_something_to_observe() -> None:
    entry, _ = observe(None, ALIVE, deleted=False, now=NOW, deadlines=DEADLINES)

    with pytest.raises(ValueError, match="nothing to observe"):
        observe(None, None, deleted=True, now=NOW, deadlines=DEADLINES)
    with pytest.raises(ValueError, match="nothing to observe"):
        observe(entry, None, deleted=False, now=NOW, deadlines=DEADLINES)


def test_a_pod_of_the_same_name_is_another_pod() -> None:
    entry, _ = observe(None, FAILED, deleted=False, now=NOW, deadlines=DEADLINES)
    other = pod(status("Failed", terminated(1)), uid="u2")

    assert names(told(see(other), entry=entry)) == ["pod-failed"]


@pytest.mark.parametrize(
    ("reason", "grace"),
    [
        ("InvalidImageName", timedelta(0)),
        ("ErrImagePull", DEADLINES.image),
        ("ImagePullBackOff", DEADLINES.image),
        ("ErrImageNeverPull", DEADLINES.image),
        ("CreateContainerConfigError", DEADLINES.config),
        ("CreateContainerError", DEADLINES.create),
        ("RunContainerError", DEADLINES.create),
    ],
)
def test_a_container_that_cannot_start_has_its_grace(reason: str, grace: timedelta) -> None:
    stuck = pod(status("Pending", waiting(reason)))
    entry, first = observe(None, stuck, deleted=False, now=NOW, deadlines=DEADLINES)
    late = grace.total_seconds()

    if grace:
        assert first == ()
        assert due(entry) == NOW + grace
        assert told(see(stuck, after=late - 1), entry=entry) == []
        first = tuple(told(see(stuck, after=late), see(stuck, after=late + 99), entry=entry))
    assert names(first) == ["never-started"]
    assert first[0].container == "main"


def test_reasons_of_one_kind_take_turns_within_one_grace() -> None:
    turns = [pod(status("Pending", waiting(reason))) for reason in ("ErrImagePull", "ImagePullBackOff")]
    late = DEADLINES.image.total_seconds()

    assert names(told(see(turns[0]), see(turns[1], after=late / 2), see(turns[0], after=late))) == ["never-started"]


def test_a_problem_that_comes_back_starts_again() -> None:
    stuck, late = pod(status("Pending", waiting("ErrImagePull"))), DEADLINES.image.total_seconds()

    assert told(see(stuck), see(PENDING, after=10), see(stuck, after=20), see(stuck, after=late + 1)) == []


def test_a_pod_of_which_nothing_begins_has_its_grace() -> None:
    late = DEADLINES.preparing.total_seconds() - 60 if DEADLINES.preparing else 0

    assert told(see(PENDING), see(PENDING, after=late - 1)) == []
    assert names(told(see(PENDING), see(PENDING, after=late))) == ["never-started"]
    assert told(see(PENDING), see(PENDING, after=10**6), deadlines=Deadlines(preparing=None)) == []


@pytest.mark.parametrize("alive", [ALIVE, pod(status("Running", waiting("ImagePullBackOff")))])
def test_a_pod_that_runs_has_all_the_time(alive: objects.Pod) -> None:
    assert told(see(alive), see(alive, after=10**6)) == []


def test_a_pod_that_is_being_deleted_is_not_stopped() -> None:
    leaving = pod(status("Pending", waiting("InvalidImageName")), metadata={"deletionTimestamp": ago(1)})

    assert told(see(leaving)) == []


def test_an_init_container_that_keeps_failing_never_lets_the_pod_start() -> None:
    creating = waiting("PodInitializing")
    crashing = [
        with_init("Pending", creating, {"state": state, "restartCount": 3})
        for state in (waiting("CrashLoopBackOff"), RUNNING, terminated(1))
    ]
    done = with_init("Pending", creating, {"state": terminated(0), "restartCount": 3})
    late = DEADLINES.init_crash_loop.total_seconds()
    looks = [see(state, after=late * number / 4) for number, state in enumerate(crashing)]

    assert names(told(*looks, see(crashing[0], after=late))) == ["container-restarted", "never-started"]
    assert names(told(*looks, see(done, after=late))) == ["container-restarted"]


def test_an_init_container_that_failed_once_and_now_runs_is_not_stopped() -> None:
    creating = waiting("PodInitializing")
    once = {"lastState": terminated(1), "restartCount": 1}
    runs = with_init("Pending", creating, {"state": RUNNING, **once})
    backs_off = with_init("Pending", creating, {"state": waiting("CrashLoopBackOff"), **once})
    late = DEADLINES.init_crash_loop.total_seconds()
    entry, _ = observe(None, runs, deleted=False, now=NOW, deadlines=DEADLINES)

    assert due(entry) is None
    assert names(told(see(runs), see(runs, after=late), see(runs, after=10**6))) == ["container-restarted"]
    looks = see(backs_off), see(runs, after=10), see(runs, after=late), see(backs_off, after=late + 1)
    assert names(told(*looks)) == ["container-restarted", "never-started"]


def test_an_init_container_that_backs_off_again_keeps_its_time() -> None:
    creating = waiting("PodInitializing")
    looks = [
        with_init("Pending", creating, {"state": state, "restartCount": 1})
        for state in (waiting("CrashLoopBackOff"), RUNNING, waiting("CrashLoopBackOff"))
    ]
    entry = None
    for number, seen in enumerate(looks):
        at = NOW + timedelta(seconds=number)
        entry, _ = observe(entry, seen, deleted=False, now=at, deadlines=DEADLINES)

    assert entry is not None
    assert due(entry) == NOW + DEADLINES.init_crash_loop


def test_a_long_init_container_that_failed_before_is_stopped_if_settings_say_so() -> None:
    once = {"state": RUNNING, "lastState": terminated(1), "restartCount": 1}
    slow = with_init("Pending", waiting("PodInitializing"), once)
    impatient = Deadlines(init_running=timedelta(seconds=70))

    assert names(told(see(slow, after=20), deadlines=impatient)) == ["container-restarted", "never-started"]


def test_a_sidecar_that_is_ready_is_no_problem() -> None:
    ready = with_init(
        "Pending",
        waiting("PodInitializing"),
        {"state": RUNNING, "restartCount": 2, "ready": True},
        restartPolicy="Always",
    )

    assert names(told(see(ready), see(ready, after=10**6))) == ["container-restarted"]


def test_a_long_init_container_is_stopped_only_if_settings_say_so() -> None:
    slow = with_init("Pending", waiting("PodInitializing"), {"state": RUNNING})
    impatient = Deadlines(init_running=timedelta(seconds=70))
    entry, _ = observe(None, slow, deleted=False, now=NOW, deadlines=impatient)

    assert due(entry) == ago(50) + timedelta(seconds=70)
    assert told(see(slow, after=10**6)) == []
    assert names(told(see(slow, after=20), deadlines=impatient)) == ["never-started"]


def with_deadline(active: int | None, **spec: Any) -> objects.Pod:
    return pod(status("Running", RUNNING, startTime=NOW), spec={"activeDeadlineSeconds": active, **spec})


@pytest.mark.parametrize(("spec", "grace"), [({}, 30), ({"terminationGracePeriodSeconds": 5}, 5)])
def test_a_pod_that_outlives_its_deadline_is_stopped(spec: dict[str, Any], grace: int) -> None:
    alive = with_deadline(100, **spec)
    late = 100 + grace + DEADLINES.active_margin.total_seconds()
    entry, _ = observe(None, alive, deleted=False, now=NOW, deadlines=DEADLINES)

    assert due(entry) == NOW + timedelta(seconds=late)
    assert told(see(alive, after=late - 1), entry=entry) == []
    assert names(told(see(alive, after=late), see(alive, after=late + 9), entry=entry)) == ["deadline-exceeded"]


@pytest.mark.parametrize("active", [None, 10**12, 10**18, 10**30])
def test_a_deadline_beyond_the_calendar_is_none(active: int | None) -> None:
    entry, said = observe(None, with_deadline(active), deleted=False, now=NOW, deadlines=DEADLINES)

    assert (due(entry), said) == (None, ())


def test_the_kubelets_own_end_by_deadline_is_a_failed_pod() -> None:
    assert names(told(see(pod(status("Failed", RUNNING, reason="DeadlineExceeded"))))) == ["pod-failed"]


def test_after_a_halt_one_end_may_follow() -> None:
    stuck = pod(status("Pending", waiting("InvalidImageName")))

    assert names(told(see(stuck), see(stuck, deleted=True))) == ["never-started", "deleted-externally"]
    assert names(told(see(FAILED), see(with_deadline(1), after=10**6))) == ["pod-failed"]


def restarted(count: int, dead: str | None, *, name: str = "main", phase: str = "Running") -> objects.Pod:
    last = terminated(1, containerID=dead) if dead is not None else terminated(1)
    return pod(
        {
            "phase": phase,
            "containerStatuses": [{"name": name, "state": RUNNING, "lastState": last, "restartCount": count}],
        }
    )


def test_each_dead_container_is_reported_once() -> None:
    said = told(
        see(ALIVE),
        see(restarted(1, "a")),
        see(restarted(1, "a"), after=1),
        see(restarted(2, "b"), after=2),
        see(restarted(3, None), after=3),
        see(restarted(4, None), after=4),
    )

    assert [(event.container, event.discriminator) for event in said] == [
        ("main", "a"),
        ("main", "b"),
        ("main", "3"),
        ("main", "4"),
    ]
    assert {event.occurrence for event in said} == {Occurrence.CONTAINER_RESTARTED}
    assert said[0].occurred_at == ago(1)


def test_the_restarts_of_a_pod_are_reported_before_its_end() -> None:
    assert names(told(see(restarted(1, "a", phase="Failed")))) == ["container-restarted", "pod-failed"]


def test_what_is_kept_knows_the_node_once_there_is_one() -> None:
    unbound = pod(status("Pending"), spec={"nodeName": None})
    entry, _ = observe(None, unbound, deleted=False, now=NOW, deadlines=DEADLINES)
    bound, _ = observe(entry, ALIVE, deleted=False, now=NOW, deadlines=DEADLINES)

    assert (entry.reference.node, bound.reference.node) == ("", "n1")
    assert bound.resource_version == "1"
    assert bound.phase == "Running"


STATES = st.sampled_from(
    [
        PENDING,
        ALIVE,
        FAILED,
        SUCCEEDED,
        restarted(1, "a"),
        restarted(2, "b"),
        with_deadline(5),
        pod(status("Pending", waiting("ImagePullBackOff"))),
        pod(status("Pending", waiting("InvalidImageName"))),
        pod(status("Running", RUNNING), metadata={"deletionTimestamp": ago(1)}),
    ]
)
LOOKS = st.lists(st.tuples(STATES, st.booleans(), st.floats(0, 2000)), max_size=12)


@given(LOOKS, st.booleans())
def test_at_most_one_end_and_one_halt_are_reported_and_each_restart_once(looks: list[Look], lost: bool) -> None:  # noqa: FBT001 - drawn
    looks = sorted(looks, key=lambda look: look[2])
    if lost and looks:
        looks.append(see(None, deleted=True, after=3000))
    said = told(*looks)
    kinds = [event.occurrence for event in said]

    assert sum(kind in ENDS for kind in kinds) <= 1
    assert sum(kind in HALTS for kind in kinds) <= 1
    ended = next((number for number, kind in enumerate(kinds) if kind in ENDS), len(kinds))
    assert not any(kind in HALTS for kind in kinds[ended:])


@given(LOOKS)
def test_a_look_that_is_due_is_never_in_the_past_of_the_look_that_set_it(looks: list[Look]) -> None:
    """Else whoever looks again when it is due would look for ever."""
    entry = None
    for pod_seen, deleted, after in sorted(looks, key=lambda look: look[2]):
        now = NOW + timedelta(seconds=after)
        entry, _ = observe(entry, pod_seen, deleted=deleted, now=now, deadlines=DEADLINES)
        again: datetime | None = due(entry)
        assert deleted or again is None or again > now
