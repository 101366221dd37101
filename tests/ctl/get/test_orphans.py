"""``failctl get orphans``, and what a person can do about one, on a real API over a real store."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from agent.ctl.explain.card import LINES
from agent.store import listed_orphans
from agent.store.orphans import Orphan
from tests.ctl.submitted import Program, pod, program
from tests.scheduler.service.site import AT
from tests.store.test_orphans import orphan

UID = "c1b7f0de-3a51-4c5e-9f0c-2f6ab8a6d9f1"
RUN = "5f3b6c1e-0000-4000-8000-00000000a001"
POD = "pod jobs/armada-job-0001-0 on n1 in cluster east"


@pytest.fixture
def failctl(tmp_path: Path) -> Iterator[Program]:
    """A job whose run failed and whose pod has ended."""
    with program(tmp_path) as made:
        made("submit", "-f", made.write("pod.yaml", pod()), "--queue", "ml")
        made.play("job-0001", f"leased {RUN} confirmed", f"created {RUN} u0", "failed u0 retry confirmed")
        yield made


def found(failctl: Program, *several: Orphan) -> None:
    with failctl.api.store.write() as connection:
        listed_orphans.add(connection, [replace(each, since=AT - timedelta(minutes=7)) for each in several])


def namesake(uid: str = UID) -> Orphan:
    """A pod under the name of the job's run."""
    return replace(orphan(uid, job_id="job-0001", name="armada-job-0001-0"), cluster_id="east")


def test_that_there_are_none_is_said(failctl: Program) -> None:
    done = failctl("get", "orphans")

    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "No orphans match.\n")


def test_orphans_are_listed_with_what_tells_them_apart(failctl: Program) -> None:
    other = replace(namesake("c1b7f0de-3b"), cluster_id="west", pod_name="copy", node="")
    found(failctl, namesake(), other)

    heading, first, second = failctl("get", "orphans").stdout.splitlines()
    assert heading.split() == ["UID", "POD", "CLUSTER", "NODE", "HOLDS", "CONFIRMED", "SINCE"]
    assert first.split()[:6] == ["c1b7f0de-3a", "jobs/armada-job-0001-0", "east", "n1", "yes", "-"]
    assert second.split()[:6] == ["c1b7f0de-3b", "jobs/copy", "west", "-", "no", "-"]
    assert failctl("get", "orphans", "--cluster", "west", "-o", "name").stdout == "c1b7f0de-3b\n"
    assert UID in failctl("get", "orphans", "-n", "jobs", "-o", "wide").stdout
    assert failctl("get", "orphans", "-n", "other", "-o", "jsonl").stdout == ""


def test_an_orphan_holds_the_next_run_until_somebody_vouches_for_it(failctl: Program) -> None:
    found(failctl, namesake())
    card = " ".join(failctl("explain", "job-0001").stdout.split())
    assert (
        f"for {POD}, which the scheduler did not start: delete it, or, if you are sure that it does not run: " in card
    )

    assert f"failctl confirm-stopped {UID}" in card

    first = failctl("confirm-stopped", UID[:8], "--yes", "--reason", "a copy")
    second = failctl("confirm-stopped", UID, "--yes")

    assert first.stdout.startswith(f"The stop of orphan {UID} is confirmed: {POD} (job job-0001 retry-waiting; ")
    assert UID not in first.stdout.split("(job")[1]
    assert (second.exit_code, second.stdout.split(": ")[0]) == (0, f"The stop of orphan {UID} was confirmed before")
    (listed,) = json.loads(failctl("get", "orphans", "-o", "json").stdout)
    assert {name: listed[name] for name in ("uid", "confirmedBy", "confirmedReason", "heldJobIds")} == {
        "uid": UID,
        "confirmedBy": "alice",
        "confirmedReason": "a copy",
        "heldJobIds": ["job-0001"],
    }
    card = " ".join(failctl("explain", "job-0001").stdout.split())
    assert "Asked confirm-stopped by alice" in card
    assert f"orphan {UID}: a copy" in card
    assert f"Orphan {POD}, uid {UID}, found" in card
    assert "alice vouched for its stop" in card


def test_the_command_is_on_the_card_also_behind_long_names(failctl: Program) -> None:
    node = "ip-10-0-123-45.ap-southeast-1.compute.internal." + "a" * 63 + ".example.org"
    found(failctl, replace(namesake(), node=node))

    card = " ".join(failctl("explain", "job-0001").stdout.split())
    assert f"failctl confirm-stopped {UID}" in card


def test_a_card_shows_few_of_many_orphans_and_first_those_that_hold_the_job(failctl: Program) -> None:
    copies = [replace(namesake(f"a{number}"), pod_name=f"a{number}") for number in range(50)]
    found(failctl, *copies, namesake())

    card = failctl("explain", "job-0001").stdout
    assert len(card.splitlines()) <= LINES
    first, _, last = (line for line in card.splitlines() if line.startswith("  Orphan"))
    assert (POD[:40] in first, last.split(maxsplit=1)[1]) == (True, "49 more; --details shows them")
    assert "jobs/a49" in failctl("explain", "job-0001", "--details").stdout


def test_a_dry_run_changes_nothing(failctl: Program) -> None:
    found(failctl, namesake())

    done = failctl("confirm-stopped", UID, "--dry-run")

    assert done.stdout.startswith(f"The stop of orphan {UID} would be confirmed: {POD} (job job-0001 retry-waiting; ")
    assert json.loads(failctl("get", "orphans", "-o", "json").stdout)[0]["confirmedBy"] is None


def test_an_orphan_that_holds_no_job_may_be_confirmed_too(failctl: Program) -> None:
    found(failctl, replace(namesake(), pod_name="copy"))

    done = failctl("confirm-stopped", UID, "--yes")

    assert done.stdout == f"The stop of orphan {UID} is confirmed: pod jobs/copy on n1 in cluster east\n"
    card = " ".join(failctl("explain", "job-0001").stdout.split())
    assert "Orphan pod jobs/copy on n1 in cluster east" in card
    assert "Asked" not in card


def test_two_orphans_of_one_uid_are_told_apart_by_nobody(failctl: Program) -> None:
    found(failctl, namesake(), replace(namesake(), cluster_id="west"))

    done = failctl("confirm-stopped", UID, "--yes")

    assert done.exit_code == 1
    assert "pods in several clusters have this uid: delete those that are copies" in " ".join(done.stderr.split())
