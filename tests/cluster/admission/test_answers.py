"""Which conditions failing pods get by the rules that ship, and within which limits: the table beside this file."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent.cluster.admission.answers import MOST_TEXT, Caps
from agent.cluster.admission.job_pods import SHOWN_WITHIN
from agent.cluster.config.rules import RulesInForce, read_rules
from agent.core.admission.brake import BrakeLimits
from agent.core.admission.conditions import Withheld
from agent.core.identity.conditions import HOPELESS, INFRASTRUCTURE, PREFIX
from agent.kube import objects
from agent.settings.cluster import RedactionSettings
from agent.shipped import RULES, shipped
from agent.telemetry import admission_metrics as metrics
from tests.cluster.admission.deciding import NOW, Json, Memory, carrying, failing, pod
from tests.tables import table

ROWS = table(Path(__file__).parent / "decisions.yaml")
OUT: Json = {"reason": "OutOfcpu", "message": "Node didn't have enough resource: cpu"}


@pytest.fixture(scope="module")
def rules() -> RulesInForce:
    return read_rules(shipped(RULES), RedactionSettings())


def status_of(row: Json) -> Json:
    status = dict(row.get("status", {}))
    if status.pop("large", False):
        status["message"] = "x" * MOST_TEXT
    if "ended" in row:
        status["containerStatuses"] = [{"name": "main", "state": {"terminated": row["ended"]}}]
    return status


def put_events(memory: Memory, row: Json) -> None:
    for number, written in enumerate(row.get("events", ())):
        about = {"kind": "Pod", "uid": "u1", "name": "u1", "namespace": "ml"}
        event = {"metadata": {"uid": f"e{number}"}, "involvedObject": about, **written}
        memory.gatherer.events.put(msgspec.convert(event, objects.Event), now=NOW)


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_the_conditions_of(row: Json, rules: RulesInForce) -> None:
    memory = Memory(rules=rules, logs=("ml",) if row.get("logs", True) else ())
    metadata: dict[str, Any] = row.get("metadata", {})
    if row.get("shown", True):
        memory.watch(pod(**metadata))
    put_events(memory, row)

    answer = memory.answers.answer(
        failing(pod(status=status_of(row), **metadata), old=row.get("old"), dry_run=row.get("dryRun", False))
    )

    if isinstance(answer, Withheld):
        assert answer.value == row.get("why")
    else:
        assert [condition.type.removeprefix(PREFIX) for condition in answer] == row.get("conditions")
        assert {condition.reason for condition in answer} == {row["reason"]}
        assert all(condition.message for condition in answer)


@pytest.mark.parametrize(
    ("created", "given"), [("2025-12-31T23:00:00Z", [INFRASTRUCTURE]), ("2025-12-31T23:30:00Z", Withheld.NOT_PROVEN)]
)
def test_what_a_node_said_before_the_pod_existed_proves_nothing(
    rules: RulesInForce, created: str, given: list[str] | Withheld
) -> None:
    memory, gpu = Memory(rules=rules), "GPU-0a1b2c3d-1111-2222-3333-444455556666"
    lost = {
        "metadata": {"uid": "e1"},
        "involvedObject": {"kind": "Node", "name": "n1"},
        "message": f"NVRM: Xid (PCI:0000:3b:00): 79, {gpu} has fallen off the bus.",
        "lastTimestamp": "2025-12-31T23:10:00Z",
    }
    memory.gatherer.nodes.put(msgspec.convert({"metadata": {"name": "n1"}}, objects.Node))
    memory.gatherer.events.put(msgspec.convert(lost, objects.Event, strict=False), now=NOW)
    main = {
        "name": "main",
        "state": {"terminated": {"reason": "Error", "exitCode": 1}},
        "allocatedResourcesStatus": [{"name": "nvidia.com/gpu", "resources": [{"resourceID": gpu}]}],
    }

    assert fail(memory, pod(status={"containerStatuses": [main]}, creationTimestamp=created)) == given


def fail(memory: Memory, written: Json) -> list[str] | Withheld:
    """A pod of the watch fails, and the watch shows what it got."""
    memory.watch(written)
    answer = memory.answers.answer(failing(written))
    if isinstance(answer, Withheld):
        memory.watch({**written, "status": {**written["status"], "phase": "Failed"}})
        return answer
    memory.watch(carrying(written, answer))
    return [condition.type for condition in answer]


def test_nothing_is_given_before_the_caches_are_synced(rules: RulesInForce) -> None:
    memory = Memory(rules=rules, synced=False)

    assert fail(memory, pod(status=OUT)) is Withheld.NOT_SYNCED


def test_an_index_gets_infrastructure_three_times_and_others_of_the_job_too(rules: RulesInForce) -> None:
    memory = Memory(rules=rules)

    answers = [fail(memory, pod(f"u{number}", status=OUT)) for number in range(4)]

    assert answers == [[INFRASTRUCTURE]] * 3 + [Withheld.LIMIT]
    assert fail(memory, pod("other-index", index=1, status=OUT)) == [INFRASTRUCTURE]
    assert fail(memory, pod("other-job", job="j2", status=OUT)) == [INFRASTRUCTURE]


def test_a_job_without_indexes_gets_it_three_times_in_all(rules: RulesInForce) -> None:
    memory = Memory(rules=rules)

    answers = [fail(memory, pod(f"u{number}", index=None, status=OUT)) for number in range(4)]

    assert answers == [[INFRASTRUCTURE]] * 3 + [Withheld.LIMIT]


def test_a_job_may_always_be_hopeless(rules: RulesInForce) -> None:
    memory = Memory(rules=rules, caps=Caps(per_index=0, brake=BrakeLimits(1_000, 600.0, 1_800.0)))
    oom = {"containerStatuses": [{"name": "main", "state": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}}]}

    assert fail(memory, pod("u1", status=OUT)) is Withheld.LIMIT
    assert fail(memory, pod("u2", status=oom)) == [HOPELESS]


def test_conditions_that_other_replicas_gave_count(rules: RulesInForce) -> None:
    theirs, ours = Memory(rules=rules), Memory(rules=rules)
    for number in range(3):
        written = pod(f"u{number}", status=OUT)
        theirs.watch(written)
        answer = theirs.answers.answer(failing(written))
        assert not isinstance(answer, Withheld)
        ours.watch(carrying(written, answer))

    assert fail(ours, pod("u3", status=OUT)) is Withheld.LIMIT


def test_what_was_given_counts_before_the_watch_shows_it_and_not_for_long(rules: RulesInForce) -> None:
    memory = Memory(rules=rules)
    pods = [pod(f"u{number}", status=OUT) for number in range(5)]
    for written in pods:
        memory.watch(written)

    given = [memory.answers.answer(failing(written)) for written in pods[:4]]
    memory.time = SHOWN_WITHIN + 1

    assert [isinstance(answer, Withheld) for answer in given] == [False, False, False, True]
    assert not isinstance(memory.answers.answer(failing(pods[4])), Withheld)


def test_a_write_that_is_tried_again_gets_the_same_answer_and_counts_once(rules: RulesInForce) -> None:
    memory = Memory(rules=rules)
    written = pod("u1", status=OUT)
    memory.watch(written)

    assert len({repr(memory.answers.answer(failing(written))) for _ in range(10)}) == 1
    assert fail(memory, pod("u2", status=OUT)) == [INFRASTRUCTURE]


def test_a_write_that_failed_counts_no_more_when_the_watch_says_so(rules: RulesInForce) -> None:
    memory = Memory(rules=rules)
    for number in range(3):
        written = pod(f"u{number}", status=OUT)
        memory.watch(written)
        assert not isinstance(memory.answers.answer(failing(written)), Withheld)
        memory.watch({**written, "status": {"phase": "Failed"}})

    assert fail(memory, pod("u3", status=OUT)) == [INFRASTRUCTURE]


def test_a_request_that_was_made_up_counts_nothing(rules: RulesInForce) -> None:
    memory = Memory(rules=rules)
    for number in range(100):
        assert memory.answers.answer(failing(pod(f"made-up-{number}", status=OUT))) is Withheld.NOT_SYNCED
    memory.watch(pod("u1", job="j9", status=OUT))

    for _ in range(10):  # a pod that exists, under an index that is not its own
        memory.answers.answer(failing(pod("u1", job="j1", status=OUT)))

    assert [fail(memory, pod(f"u{number}", status=OUT)) for number in range(2, 5)] == [[INFRASTRUCTURE]] * 3


def test_above_the_rate_of_the_cluster_it_stops_by_itself_and_begins_again(rules: RulesInForce) -> None:
    memory = Memory(rules=rules, caps=Caps(per_index=3, brake=BrakeLimits(at_most=2, window=60.0, pause=100.0)))

    answers = [fail(memory, pod(f"u{number}", index=number, status=OUT)) for number in range(4)]
    stopped = metrics.STOPPED._value.get()
    memory.time = 101.0

    assert answers == [[INFRASTRUCTURE]] * 2 + [Withheld.BRAKE] * 2
    assert stopped == 1
    assert fail(memory, pod("u9", index=9, status=OUT)) == [INFRASTRUCTURE]
    assert metrics.STOPPED._value.get() == 0


def test_the_rate_has_what_other_replicas_gave_but_not_what_was_there_at_the_start(rules: RulesInForce) -> None:
    caps = Caps(per_index=9, brake=BrakeLimits(at_most=2, window=60.0, pause=100.0))
    theirs = Memory(rules=rules)
    shown = []
    for number in range(4):
        written = pod(f"u{number}", index=number, status=OUT)
        theirs.watch(written)
        answer = theirs.answers.answer(failing(written))
        assert not isinstance(answer, Withheld)
        shown.append(carrying(written, answer))
    starting, running = Memory(rules=rules, caps=caps, synced=False), Memory(rules=rules, caps=caps)
    for written in shown:
        starting.watch(written)
        running.watch(written)
    starting.synced = True

    assert fail(starting, pod("u9", index=9, status=OUT)) == [INFRASTRUCTURE]
    assert fail(running, pod("u9", index=9, status=OUT)) is Withheld.BRAKE


def test_in_shadow_mode_pods_get_nothing_and_the_limits_count_what_they_would_have_got(
    rules: RulesInForce,
) -> None:
    memory = Memory(rules=rules, shadow=True)
    before = metrics.SHADOWED.labels(INFRASTRUCTURE)._value.get()

    answers = [fail(memory, pod(f"u{number}", status=OUT)) for number in range(4)]

    assert answers == [Withheld.SHADOW] * 3 + [Withheld.LIMIT]
    assert metrics.SHADOWED.labels(INFRASTRUCTURE)._value.get() - before == 3
