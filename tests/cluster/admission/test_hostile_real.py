"""Whoever reaches the webhook of a whole agent changes nothing, learns nothing else, and fills no memory."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path

import pytest

from agent.core.identity.conditions import INFRASTRUCTURE
from tests.cluster.admission.admitting import Admitting
from tests.cluster.admission.plain_job import IGNORES_DISRUPTIONS, LOST_GPU, ours
from tests.cluster.admission.reviews import body
from tests.servers.patience import until
from tests.simulator.api import Json

pytestmark = pytest.mark.slow

AT_ONCE = 1_000
LARGE, LARGE_AT_ONCE = 3 << 20, 40
MOST_GROWTH = 150_000_000
"""Bytes."""
JUNK = (b"", b"null", b"\xff" * 10_000, b"[" * 100_000, b'{"a":' * 50_000, b'{"kind": "AdmissionReview"}')


def forged(pod: Json, status: Json) -> bytes:
    """A review by which nobody writes that a pod failed."""
    return body(
        name=pod["metadata"]["name"],
        namespace=pod["metadata"]["namespace"],
        object={**pod, "status": {**pod["status"], **status}},
        oldObject=pod,
    )


def test_a_forged_request_changes_nothing_and_learns_the_condition_of_its_pod(webhook: Admitting) -> None:
    job = webhook.job("is-forged")
    job.create(IGNORES_DISRUPTIONS)
    webhook.until_watched()
    live, before, reported = job.live()[0], webhook.metrics(), webhook.real.reported()
    answers = [webhook.ask(forged(live, LOST_GPU)).json()["response"] for _ in range(5)]
    unknown = {**live, "metadata": {**live["metadata"], "uid": "nobody-knows"}}
    none = webhook.ask(forged(unknown, LOST_GPU)).json()["response"]
    after = webhook.metrics()

    assert all(answer.keys() == {"uid", "allowed", "patchType", "patch"} for answer in answers)
    assert none.keys() == {"uid", "allowed"}
    assert job.live()[0] == live
    assert webhook.real.reported() == reported
    occurrences = "failure_agent_occurrences_total"
    assert {name: value for name, value in after.items() if name.startswith(occurrences)} == {
        name: value for name, value in before.items() if name.startswith(occurrences)
    }

    (failed,) = webhook.fail(job, {0: LOST_GPU}).values()
    assert ours(failed) == [INFRASTRUCTURE], "what was forged counted for the index"


def test_a_flood_is_refused_or_answered_and_a_pod_that_fails_after_it_gets_its_condition(webhook: Admitting) -> None:
    job = webhook.job("is-flooded")
    job.create(IGNORES_DISRUPTIONS)
    webhook.until_watched()
    live = job.live()[0]
    small = forged({**live, "metadata": {**live["metadata"], "uid": "nobody-knows"}}, LOST_GPU)
    large = small[:-1] + b" " * (LARGE - len(small)) + small[-1:]
    before = resident(webhook)
    statuses = flood(webhook, [small] * AT_ONCE + [large] * LARGE_AT_ONCE + [*JUNK] * 20)
    grown = resident(webhook) - before

    assert statuses <= {200, 400, 503}
    assert 200 in statuses
    assert grown < MOST_GROWTH
    (failed,) = webhook.fail(job, {0: LOST_GPU}).values()
    assert ours(failed) == [INFRASTRUCTURE]
    until(webhook.agent.is_ready, "ready")
    assert "Traceback" not in webhook.log.read_text()


def flood(webhook: Admitting, bodies: Sequence[bytes]) -> set[int]:
    """Send all of them at once, each over a connection of its own; the statuses that came."""

    def send(content: bytes) -> int | None:
        try:
            return webhook.ask(content).status
        except (OSError, HTTPException):
            return None  # it was too busy to say so

    with ThreadPoolExecutor(len(bodies)) as clients:
        return {status for status in clients.map(send, bodies) if status is not None}


def resident(webhook: Admitting) -> int:
    """The bytes of memory that the agent has."""
    pages = Path(f"/proc/{webhook.agent.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
