from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.cluster.config.checks import pending_pod_checks
from agent.core.evidence import Event
from agent.core.failure import Occurrence
from agent.kube import objects
from agent.observe.checks.finding import Found, Waiting, go_duration
from agent.observe.checks.pending import PendingPodChecks, check_pending
from agent.observe.deadlines import Deadlines
from agent.observe.events import read_event
from agent.observe.occurrence import observe
from agent.observe.unstarted import never_started_message, observe_unstarted
from agent.settings.pod_checks import PendingPodCheckSettings
from tests.observe.pods import NOW, ago, pod, status, waiting
from tests.tables import table

Row = dict[str, Any]
ROWS: list[Row] = table(Path(__file__).parent / "pending.yaml")
AGE = 60.0


def checks(written: object) -> PendingPodChecks:
    return pending_pod_checks(PendingPodCheckSettings.model_validate_json(msgspec.json.encode(written)))


def init_status(row: Row) -> Row:
    last = {"lastState": init_state(row["last"])} if "last" in row else {}
    return {"name": "init", "state": init_state(row["init"]), **last}


def init_state(container: Row) -> Row:
    if "exit" in container:
        ended = {"exitCode": container["exit"], "startedAt": ago(container["running"]), "finishedAt": ago(1)}
        return {"terminated": ended}
    if "running" in container:
        return {"running": {"startedAt": ago(container["running"])}}
    return container


def pod_of(row: Row) -> objects.Pod:
    status: Row = {"phase": row.get("phase", "Pending")}
    spec: Row = row.get("spec", {})
    if "waiting" in row:
        status["containerStatuses"] = [{"name": "main", "state": {"waiting": row["waiting"]}}]
    if "init" in row:
        status["initContainerStatuses"] = [init_status(row)]
        policy = {"restartPolicy": "Always"} if row.get("sidecar") else {}
        spec = spec | {"initContainers": [{"name": "init", **policy}]}
    if "condition" in row:
        status["conditions"] = [{"type": "Odd", "lastTransitionTime": ago(row["condition"])}]
    return pod(status, metadata={"creationTimestamp": ago(AGE)}, spec=spec)


def events_of(row: Row) -> list[Event]:
    return list(map(read_event, msgspec.convert(row.get("events", []), list[objects.Event])))


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_a_pod_that_does_not_start_is_judged_as_armada_does(row: Row) -> None:
    gives = row["gives"]
    outcome = check_pending(pod_of(row), events_of(row), checks=checks(row["checks"]), now=NOW)

    if "wait" in gives:
        assert isinstance(outcome, Waiting)
        until = None if outcome.until is None else (outcome.until - NOW).total_seconds()
        assert until == gives["wait"]
        return
    assert isinstance(outcome, Found)
    finding = outcome.finding
    assert (finding.action, finding.check, finding.cause) == (gives["action"], gives["check"], gives["cause"])
    assert gives.get("says", "") in outcome.message


@given(
    st.sampled_from([row for row in ROWS if row["gives"].get("wait") is not None]), st.floats(0, 2, exclude_max=True)
)
def test_a_check_matches_at_the_time_it_gave_and_not_before(row: Row, share: float) -> None:
    asked = checks(row["checks"])
    first = check_pending(pod_of(row), events_of(row), checks=asked, now=NOW)
    assert isinstance(first, Waiting)
    assert first.until is not None
    now = NOW + (first.until - NOW) * share

    found = check_pending(pod_of(row), events_of(row), checks=asked, now=now)

    assert isinstance(found, Found) == (now >= first.until)


ODD = {"containerStatuses": [{"state": "Waiting", "reasonRegexp": "Odd", "gracePeriod": "0s", "action": "Fail"}]}


def test_what_a_check_finds_halts_the_run_once() -> None:
    stuck = pod(status("Pending", waiting("Odd")), metadata={"creationTimestamp": ago(AGE)})
    entry, _ = observe(None, stuck, deleted=False, now=NOW, deadlines=Deadlines())

    entry, (occurred,) = observe_unstarted(entry, stuck, [], checks=checks(ODD), now=NOW)
    again, told = observe_unstarted(entry, stuck, [], checks=checks(ODD), now=NOW)

    assert (occurred.occurrence, entry.halted, entry.due_at) == (*[Occurrence.NEVER_STARTED] * 2, None)
    assert occurred.found is not None
    assert (again, told) == (entry, ())


def test_a_pod_that_is_being_deleted_is_not_given_up() -> None:
    going = pod(
        status("Pending", waiting("Odd")), metadata={"creationTimestamp": ago(AGE), "deletionTimestamp": ago(1)}
    )
    entry, _ = observe(None, going, deleted=False, now=NOW, deadlines=Deadlines())

    assert observe_unstarted(entry, going, [], checks=checks(ODD), now=NOW) == (entry, ())


def test_the_earlier_time_to_look_again_stays() -> None:
    late = {"containerStatuses": [ODD["containerStatuses"][0] | {"gracePeriod": "1h"}]}
    stuck = pod(status("Pending", waiting("Odd")), metadata={"creationTimestamp": ago(AGE)})
    entry, _ = observe(None, stuck, deleted=False, now=NOW, deadlines=Deadlines())
    soon = msgspec.structs.replace(entry, due_at=ago(-5))

    assert observe_unstarted(soon, stuck, [], checks=checks(late), now=NOW)[0].due_at == ago(-5)
    assert observe_unstarted(entry, stuck, [], checks=checks(late), now=NOW)[0].due_at == ago(-3540)


def test_the_one_message_says_what_it_means_and_repeats_nothing() -> None:
    outcome = check_pending(
        pod(status("Pending", waiting("Odd")), metadata={"creationTimestamp": ago(AGE)}),
        [],
        checks=checks(ODD),
        now=NOW,
    )
    assert isinstance(outcome, Found)

    told = never_started_message(outcome, "Odd it is")

    assert told.startswith("Unable to start pod with unrecoverable problem")
    assert told.count("Odd it is") == 1
    assert never_started_message(outcome, "something else").endswith("\nsomething else")


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0, "0s"), (59, "59s"), (60, "1m0s"), (90.5, "1m30.5s"), (7200, "2h0m0s"), (0.25, "0.25s")],
)
def test_durations_are_written_as_go_writes_them(seconds: float, written: str) -> None:
    assert go_duration(NOW - ago(seconds)) == written
