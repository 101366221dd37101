"""Pods that never came: by a whole agent beside a simulated cluster, and by its part with a clock of its own."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from agent.cluster.config.rules import read_rules
from agent.cluster.diagnosis.never_created import MOST_CAUSES, NeverCreated
from agent.cluster.diagnosis.report import Diagnosis
from agent.cluster.spool.entries import Forgotten, Report, SpoolEntry
from agent.cluster.spool.spool import Spool
from agent.cluster.spool.writer import SpoolWriter
from agent.core.failure import Failure, Origin
from agent.core.identity.rules import DEFAULT
from agent.kube import objects
from agent.kube.reflector.cache import Change, ChangeKind
from agent.settings.cluster import RedactionSettings
from tests.cluster.living import Living, living

NOW = datetime(2026, 11, 21, tzinfo=UTC)
HOUR = timedelta(hours=1)
QUOTA = (
    'Error creating: pods "train-{}" is forbidden: exceeded quota: q, requested: pods=1, used: pods=4, limited: pods=4'
)
WEBHOOK = 'Error creating: admission webhook "policy.example" denied the request: no team label'
RULES = """
errorCategories:
- name: submit
  origin: platform
  retry: never
  rules: [{onPodEvents: {type: Warning, reason: FailedCreate, regexp: 'exceeded quota'}, subcategory: quota}]
"""


async def refused(life: Living, message: str, *, uid: str = "job-1", kind: str = "Job", **fields: object) -> None:
    about = {"apiVersion": "batch/v1", "kind": kind, "namespace": "default", "name": "train", "uid": uid}
    made = {"metadata": {"name": "train", "uid": uid}}
    await life.event(made, message, involvedObject=about, reason="FailedCreate", **fields)


async def test_an_owner_is_reported_once_for_each_cause(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(text=RULES):
        await refused(life, QUOTA.format("x7k2p"))
        assert await life.until_reported(1) == [("train", "never-created", "submit")]
        await refused(life, QUOTA.format("9lm4c"))
        await refused(life, WEBHOOK)
        await refused(life, QUOTA.format("zzzzz"), uid="job-2")

        assert await life.until_reported(3) == [
            ("train", "never-created", "none"),
            ("train", "never-created", "submit"),
            ("train", "never-created", "submit"),
        ]

    first, *_ = life.events()
    assert isinstance(first.event, Failure)
    assert (first.identity.job_id, first.identity.run_id, first.pod.uid) == ("job-1", "job-1", "job-1")
    found = first.event.classification
    assert (found.subcategory, found.origin, first.event.pod.containers) == ("quota", Origin.PLATFORM, ())
    assert [event.reason for event in first.event.events] == ["FailedCreate"]


@pytest.mark.slow
async def test_the_next_process_does_not_report_it_again(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        async with life.agent(text=RULES):
            await refused(life, QUOTA.format("x7k2p"))
            await life.until_reported(1)
        async with life.agent(text=RULES):
            await refused(life, QUOTA.format("9lm4c"))
            await refused(life, WEBHOOK)
            await life.until_reported(2)
        ids = [event.event_id for event in life.events()]

    assert len(ids) == len(set(ids)) == 2


async def test_who_watches_only_pods_with_a_label_does_not_report_owners(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(text=RULES, watch={"labelSelector": "ours=yes"}):
        await refused(life, QUOTA.format("x7k2p"))
        await life.create("a", labels={"ours": "yes"})
        await life.fail("a")

        assert await life.until_reported(1) == [("a", "pod-failed", "none")]


async def test_a_job_whose_pods_came_later_is_the_same_job(tmp_path: Path) -> None:
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "job-1", "controller": True}
    async with living(tmp_path) as life, life.agent(text=RULES):
        await refused(life, QUOTA.format("x7k2p"))
        await life.until_reported(1)
        await life.create("train-x", ownerReferences=[owner])
        await life.fail("train-x")
        await life.until_reported(2)

    assert {event.identity.job_id for event in life.events()} == {"job-1"}


class Put(SpoolWriter):
    """Keeps what it is given, instead of writing it."""

    def __init__(self, spool: Spool, *, clock: Callable[[], datetime]) -> None:
        super().__init__(spool, clock=clock, at_most=9, waiting=9)
        self.entries: list[SpoolEntry] = []

    def put(self, *entries: SpoolEntry) -> None:
        self.entries += entries


class Part:
    """The part alone: its clock is set by hand, and what it would spool is looked at."""

    def __init__(self, folder: Path, *, at_most: int = 10) -> None:
        rules = folder / "rules.yaml"
        rules.write_text(RULES)
        given = read_rules(rules, RedactionSettings())
        diagnosis = Diagnosis(
            cluster_id="c", cluster="east", classifier=given.classifier, redactor=given.redactor, slow_rules=False
        )
        self.now = NOW
        self.spool = Spool.open(folder / "spool.db", cluster="east", max_bytes=10_000_000, keep_acknowledged=0)
        self.writer = Put(self.spool, clock=lambda: self.now)
        self.of = NeverCreated(
            lambda: diagnosis, self.writer, identities=DEFAULT, at_most=at_most, age=HOUR, clock=lambda: self.now
        )

    async def hear(self, message: str, *, uid: str = "job-1", kind: ChangeKind = ChangeKind.ADDED) -> None:
        about = objects.ObjectReference(kind="Job", apiVersion="batch/v1", namespace="ml", name="train", uid=uid)
        event = objects.Event(involvedObject=about, type="Warning", reason="FailedCreate", message=message)
        await self.of.on_event(Change(kind=kind, uid="e", object=event, previous=None))

    def reports(self) -> int:
        return sum(isinstance(entry, Report) for entry in self.writer.entries)

    def forgotten(self) -> list[str]:
        return [entry.uid for entry in self.writer.entries if isinstance(entry, Forgotten)]


async def test_what_is_remembered_is_bounded_in_time_and_number(tmp_path: Path) -> None:
    part = Part(tmp_path, at_most=2)
    for uid in ("a", "b", "c"):
        await part.hear(WEBHOOK, uid=uid)
    assert (part.forgotten(), len(part.of)) == (["a"], 2)

    part.now += HOUR + timedelta(seconds=1)
    await part.hear(WEBHOOK, uid="c")
    assert (part.forgotten(), len(part.of)) == (["a", "b"], 1)
    assert part.reports() == 3


async def test_an_owner_has_a_bounded_number_of_causes(tmp_path: Path) -> None:
    part = Part(tmp_path)
    with capture_logs() as logs:
        for number in range(MOST_CAUSES + 1):
            await part.hear(f"refused because of {'abcdefghijklmnopqrstuvwxyz'[number] * 5}")

    assert part.reports() == MOST_CAUSES
    assert [line["owner"] for line in logs] == ["job-1"]


async def test_an_event_that_expired_says_nothing_new(tmp_path: Path) -> None:
    part = Part(tmp_path)
    await part.hear(WEBHOOK, kind=ChangeKind.DELETED)

    assert part.writer.entries == []
