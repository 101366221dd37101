"""What Armada's executor does around its classifier, done by our agent: checks, deletions, reports.

Its words and ours: its empty category is our ``none``; a failing reporter is a broker that is away; a registered
issue is a pod that is being taken away, or a failure of another kind than that the pod failed by itself; a returned
lease is a check's finding that asks for another try; an error while issues are detected is evidence that is recorded
as missing. A pod counts as gone when nothing but our finalizer keeps it, which its name is not free for yet but no
container is left of. States of a pod (assigned, running, succeeded) are no failures: nothing is reported of them.
Armada's own are its debug messages as such; what they quote is looked for in the evidence.
"""

import asyncio
import json
import re
import tempfile
from collections.abc import Coroutine, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from prometheus_client import REGISTRY

from agent.cluster.config.checks import failed_pod_checks
from agent.core.evidence import ContainerKind, Event, Evidence, StateKind
from agent.core.failure import NO_CATEGORY, CheckAction, Classification, Failure, Occurrence
from agent.core.summary.internal import INTERNAL_CATEGORY, RULINGS, STARTED_AFTER_DELETE
from agent.kube import objects
from agent.kube.codec import Codec, Undecodable
from agent.observe.checks.failed import check_containers, check_events, check_failed, check_status, has_started
from agent.observe.events import read_event
from agent.observe.evidence import read_evidence
from agent.settings.base import parse_duration
from agent.settings.pod_checks import FailedPodCheckSettings
from tests.cases.adapter import Differs, Run, expect
from tests.cases.adapters.armada_agent import NAMESPACE, START, SteppedAgent, stepped_agent
from tests.cases.adapters.armada_words import with_hint
from tests.cases.case import Case

CHECKS = "related.handler_checks"
FAILURES = "failure_agent_failures_total"
UID = "pod-uid"
_AGO = re.compile(r"<now-(.+)>")
_STATES = frozenset({"jobRunAssigned", "jobRunRunning", "jobRunSucceeded"})
_STRUCTURAL = {
    "StuckTerminating": RULINGS[Occurrence.STUCK_TERMINATING].subcategory,
    "ExternallyDeleted": RULINGS[Occurrence.DELETED_EXTERNALLY].subcategory,
    "ActiveDeadlineExceeded": RULINGS[Occurrence.DEADLINE_EXCEEDED].subcategory,
    "ErrorDuringIssueHandling": STARTED_AFTER_DELETE.subcategory,
}
_PODS = Codec(objects.Pod)
_EVENTS = Codec(objects.Event)


def _read(codec: Codec[Any], data: object) -> Any:  # noqa: ANN401 - what the codec reads
    read = codec.read(json.dumps(data).encode())
    if isinstance(read, Undecodable):
        raise Differs(f"not readable: {read}")
    return read


def _filled(value: object) -> Any:  # noqa: ANN401 - the same shape as it came
    """The value with Armada's placeholders filled in."""
    if isinstance(value, Mapping):
        return {name: _filled(inner) for name, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_filled(inner) for inner in value]
    if isinstance(value, str) and (ago := _AGO.fullmatch(value)):
        return (START - parse_duration(ago.group(1))).isoformat()
    return value


def _pod(data: Mapping[str, Any]) -> dict[str, Any]:
    pod: dict[str, Any] = _filled(data)
    named = {"name": "pod", "namespace": NAMESPACE, "creationTimestamp": START.isoformat()}
    return {**pod, "metadata": {**named, **(pod.get("metadata") or {}), "uid": UID}}


def _events(data: Sequence[Mapping[str, Any]]) -> list[objects.Event]:
    about = {"kind": "Pod", "namespace": NAMESPACE, "name": "pod", "uid": UID}
    return [
        _read(_EVENTS, {**_filled(each), "metadata": {"uid": f"event-{number}"}, "involvedObject": about})
        for number, each in enumerate(data)
    ]


def _agent(folder: str, case: Case, **more: Any) -> Any:  # noqa: ANN401 - an asynchronous context manager
    config = case.data.get("config") or {}
    checks = {**(case.shared.get(CHECKS) or {}), **{name: config[name] for name in config if name.startswith("stuck")}}
    categories = {"errorCategories": config.get("errorCategories") or {}}
    available = not (case.data.get("eventsUnavailable") or case.data.get("detectError"))
    return stepped_agent(Path(folder), categories=categories, checks=checks, events=available, **more)


def _playing(play: Any) -> Run:  # noqa: ANN401 - a coroutine function of agent and case
    """The run that plays a case on an agent of its own, which has the case's pod and events."""

    async def run(case: Case) -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with _agent(folder, case) as agent:
                if case.data.get("pod") is not None:
                    await agent.hear(_events(case.data.get("events") or ()))
                    agent.cluster.put(_pod(case.data["pod"]))
                await play(agent, case)

    def run_it(case: Case) -> None:
        coroutine: Coroutine[Any, Any, None] = run(case)
        asyncio.run(coroutine)

    return run_it


def _category(failure: Failure) -> str:
    given = failure.classification
    return "" if given.category == NO_CATEGORY and not given.matched else given.category


def _message(failure: Failure) -> str:
    return with_hint(failure.pod_error, failure.classification.hint)


def _reason(failure: Failure) -> str:
    """Whether Armada would return the lease or fail the run."""
    ruled = failure.classification.category == INTERNAL_CATEGORY
    again = failure.check is not None and failure.check.action is CheckAction.RETRY and not ruled
    return "podLeaseReturned" if again else "podError"


def _kubernetes_reason(reason: str, ended: Sequence[str]) -> str:
    """Armada's summary of why a pod failed."""
    if reason in {"Evicted", "DeadlineExceeded"}:
        return reason
    return "OOM" if "OOMKilled" in ended else "AppError"


def _reason_of(failure: Failure) -> str:
    ended = [each.ended.reason for each in failure.pod.containers if each.ended]
    return _kubernetes_reason(failure.pod.reason, ended)


def _counted() -> float:
    """Failures counted under any category that Armada would count: not the empty one."""
    return sum(
        sample.value
        for metric in REGISTRY.collect()
        for sample in metric.samples
        if sample.name == FAILURES and sample.labels["category"] != NO_CATEGORY
    )


def _compare(failure: Failure, expected: Mapping[str, Any]) -> None:
    """Compare what a report says with what is expected of it, where something is."""
    got: dict[str, Any] = {
        "failureCategory": _category(failure),
        "failureSubcategory": failure.classification.subcategory,
        "hint": failure.classification.hint,
        "message": _message(failure),
        "reason": _reason(failure),
        "kubernetesReason": _reason_of(failure),
        "terminal": True,
    }
    for name in got.keys() & expected.keys():
        expect(expected[name], got[name], of=name)
    if expected.get("failureCategoryNot") == got["failureCategory"]:
        raise Differs(f"category is {got['failureCategory']!r}")
    _contains(_message(failure), [expected[name] for name in ("messageContains",) if name in expected])
    _contains(_message(failure), expected.get("messageContainsInOrder") or ())
    quoted = "\n".join((failure.pod_error, *(event.message for event in failure.events)))
    _contains(quoted, [expected[name] for name in ("debugMessageContains",) if name in expected])


def _contains(text: str, parts: Sequence[str]) -> None:
    rest = text
    for part in parts:
        before, found, rest = rest.partition(part)
        if not found:
            raise Differs(f"{part!r} is not in {text!r}, after what came before it")
        del before


def _issues(agent: SteppedAgent) -> list[Failure]:
    """What Armada's issue handler would have reported: not a pod that only failed by itself and stays."""
    return [
        failure
        for failure in agent.failures()
        if failure.occurrence is not Occurrence.POD_FAILED or agent.cluster.deleted
    ]


def _only(failures: Sequence[Failure]) -> Failure:
    if len(failures) != 1:
        raise Differs(f"expected one report, got {[failure.occurrence.value for failure in failures]}")
    return failures[0]


async def _issue(agent: SteppedAgent, case: Case) -> None:
    """Passes of the issue handler over one pod."""
    expected, before = case.data["expect"], _counted()
    failing = set(case.data.get("reporterErrorsOnPass") or ())
    for number in range(1, int(case.data.get("passes", 1)) + 1):
        away = number in failing or bool(case.data.get("reporterErrors"))
        await agent.one_pass(broker=not away)
        if f"eventsAfterPass{number}" in expected:
            expect(expected[f"eventsAfterPass{number}"], len(_issues(agent)), of=f"reports after pass {number}")
        if expected.get("podDeletedAfterPass") == number:
            expect(expected=True, got=agent.cluster.is_gone(UID), of=f"pod deleted after pass {number}")
    if "podDeleted" in expected:
        expect(expected["podDeleted"], agent.cluster.is_gone(UID), of="pod deleted")
    if "events" in expected:
        expect(expected["events"], len(_issues(agent)), of="reports")
    if "knownIssues" in expected:
        expect(expected["knownIssues"], len(agent.being_removed()), of="pods being removed")
    if "counterDelta" in expected:
        expect(expected["counterDelta"], _counted() - before, of="failures counted")
    for failure in _issues(agent):
        _compare(failure, expected)


async def _detection(agent: SteppedAgent, case: Case) -> None:
    """Whether a pod is to be deleted for its category, or for a failed-pod check."""
    await agent.one_pass(broker=False)
    if case.data.get("issueAlreadyExists"):
        held = agent.spool.reported()
        agent.cluster.touch(UID)
        await agent.one_pass(broker=False)
        expect(held, agent.spool.reported(), of="what is held")
        return
    wanted = case.data.get("expectRegistered", case.data.get("expectIssueAdded"))
    expect(wanted, bool(agent.being_removed()), of="pod being removed")
    if "expectError" in case.data:
        agent.cluster.touch(UID)
        await agent.one_pass()
        missing = any(each.what == "events" for failure in agent.failures() for each in failure.missing)
        expect(case.data["expectError"], missing, of="events missing")


async def _lifecycle(agent: SteppedAgent, case: Case) -> None:
    """Cycles of deleting a pod and telling of it."""
    agent.cluster.refuses_deletions = bool(case.data.get("deleteFails"))
    for number, cycle in enumerate(case.data["cycles"], start=1):
        agent.clock.advance_to(cycle.get("advanceToMinutes", 0))
        if cycle.get("allowDeletes"):
            agent.cluster.refuses_deletions = False
        await agent.one_pass(broker=not cycle.get("reporterErr"))
        got = {
            "expectPodGone": agent.cluster.is_gone(UID),
            "expectEvents": len(agent.failures()),
            "expectResolved": agent.resolved(),
        }
        for name in got.keys() & cycle.keys():
            expect(cycle[name], got[name], of=f"{name} of cycle {number}")
    _compare(_only(agent.failures()), case.data["expect"])


async def _active_deadline(agent: SteppedAgent, case: Case) -> None:
    """A pod that its node did not end at its deadline."""
    data = case.data
    status: dict[str, Any] = {"phase": data["phase"]}
    metadata: dict[str, Any] = {
        "labels": {"armada_job_id": "job", "armada_job_run_id": "run", "armada_queue_id": "queue"}
    }
    if data.get("startedMinutesAgo") is not None:
        # No pod starts before it is created.
        status["startTime"] = (START - timedelta(minutes=data["startedMinutesAgo"])).isoformat()
        metadata["creationTimestamp"] = status["startTime"]
    deadlines = ("activeDeadlineSeconds", "terminationGracePeriodSeconds")
    spec = {name: data[name] for name in deadlines if data.get(name) is not None}
    spec = {"nodeName": "node1", "containers": [], **spec}
    agent.cluster.put(_pod({"metadata": metadata, "spec": spec, "status": status}))
    await agent.one_pass()
    expect(data["expectIssue"], bool(_issues(agent)), of="issue")
    expected = data.get("expect") or {}
    for failure in _issues(agent):
        _compare(failure, expected)
    if "podDeleted" in expected:
        expect(expected["podDeleted"], agent.cluster.is_gone(UID), of="pod deleted")


async def _gating(agent: SteppedAgent, case: Case) -> None:
    """Whether a failed pod is reported at once, or left to its deletion."""
    agent.cluster.refuses_deletions = bool(case.data.get("runHasIssue"))
    await agent.one_pass(broker=not case.data.get("reporterErr"))
    if case.data.get("runHasIssue"):
        agent.cluster.touch(UID)
        await agent.one_pass()
    expect(case.data["expectEvents"], len(agent.failures()), of="reports")


def _run_gating(case: Case) -> None:
    """Where Armada's test has an issue handler own the run, a category here asks for the pod's deletion."""
    if not (case.data.get("issueRegistered") or case.data.get("runHasIssue")):
        _playing(_gating)(case)
        return
    rule = {"onPodError": {"pattern": "(?s).*"}}
    always = {"onExitCodes": {"operator": "NotIn", "values": [0]}}
    category = {"name": "owned", "action": "Delete", "rules": [always, rule]}
    config = {"errorCategories": {"categories": [category]}}
    _playing(_gating)(
        Case(
            identity=case.identity,
            path=case.path,
            group=case.group,
            shared=case.shared,
            data={**case.data, "config": config},
        )
    )


async def _report(agent: SteppedAgent, case: Case) -> None:
    """What is reported of a pod as it is."""
    await agent.one_pass()
    expected = case.data.get("expect") or {}
    failed = expected.get("event") == "jobRunErrors"
    if failed:
        expect(expected.get("eventCount", 1), len(agent.failures()), of="reports")
        _compare(_only(agent.failures()), expected)
    elif case.data.get("expectError") or expected.get("event") in _STATES:
        expect([], [failure.occurrence.value for failure in agent.failures()], of="failures reported")
    else:
        raise Differs(f"an event that nobody knows: {expected.get('event')}")


def run_extraction(case: Case) -> None:
    """What is read from a pod's status."""
    evidence = read_evidence(_read(_PODS, _filled(case.data["pod"] or {})), occurrence=Occurrence.POD_FAILED)
    expected = case.data["expect"]
    ended = _ended(evidence)
    got = {
        "message": evidence.pod_error,
        "kubernetesReason": _kubernetes_reason(evidence.pod.reason, [each["reason"] for each in ended]),
        "containerErrors": ended,
    }
    for name in got.keys() & expected.keys():
        expect(expected[name], got[name], of=name)
    _contains(evidence.pod_error, [expected[name] for name in ("messageContains",) if name in expected])


def _ended(evidence: Evidence) -> list[dict[str, Any]]:
    return [
        {
            "containerName": each.name,
            "exitCode": each.state.exit_code or 0,
            "reason": each.state.reason,
            "message": each.state.message,
            "kubernetesReason": "OOM" if each.state.reason == "OOMKilled" else "AppError",
        }
        for each in evidence.pod.containers
        if each.state.kind is StateKind.TERMINATED and each.kind is not ContainerKind.EPHEMERAL
    ]


def run_internal_subcategory(case: Case) -> None:
    """Which issues are internal; the others keep what the rules say."""
    got = _STRUCTURAL.get(case.data["issueType"], Classification(category=NO_CATEGORY).subcategory)
    expect(case.data.get("expectSubcategory") or "", got, of="subcategory")


def _failed_checks(kind: str, case: Case) -> Any:  # noqa: ANN401 - the checks of this kind
    checks = [{name: value for name, value in each.items() if value is not None} for each in case.data["checks"]]
    given = FailedPodCheckSettings.model_validate_json(json.dumps({kind: checks}))
    return failed_pod_checks(given)


def run_failed_event_check(case: Case) -> None:
    """Checks of events about a failed pod."""
    _found(check_events(map(read_event, _events(case.data["events"])), _failed_checks("events", case).events), case)


def run_failed_container_check(case: Case) -> None:
    pod = _read(_PODS, _filled(case.data["pod"]))
    _found(check_containers(pod, _failed_checks("containerStatuses", case).containers), case)


def run_failed_status_check(case: Case) -> None:
    """Checks of a failed pod's own words."""
    pod = _read(_PODS, _filled(case.data["pod"]))
    _found(check_status(pod, _failed_checks("podStatuses", case).pods), case)


def _found(found: Any, case: Case) -> None:  # noqa: ANN401 - Found or nothing
    expected = case.data["expect"]
    expect(expected["retryable"], found is not None, of="retryable")
    expect(expected["messageNonEmpty"], found is not None and found.message != "", of="a message")


def run_failed_check_settings(case: Case) -> None:
    """Checks that settings accept or refuse."""
    try:
        _failed_checks("events", case)
    except ValueError as error:
        if case.data["ok"]:
            raise Differs(f"refused: {error}") from error
    else:
        expect(case.data["ok"], got=True, of="accepted")


def run_composition(case: Case) -> None:
    """Which checks are asked of which pods."""
    for wanted, name in ((True, "started"), (False, "notStarted")):
        for state in case.data.get(name) or ():
            expect(wanted, has_started(_with_container(state)), of=f"started: {state}")
    if "rule" in case.data:
        _either_is_enough()


def _with_container(state: object) -> objects.Pod:
    """A pod with one container in this state; a text that names no state is a pod without containers."""
    states = {"running": {"running": {}}, "terminated": {"terminated": {"exitCode": 1}}, "waiting": {"waiting": {}}}
    statuses = []
    if isinstance(state, Mapping):
        statuses = [{"name": "main", **{name: states[kind] for name, kind in state.items()}}]
    pod: objects.Pod = _read(_PODS, {"status": {"phase": "Failed", "containerStatuses": statuses}})
    return pod


def _either_is_enough() -> None:
    given = {"events": [{"regexp": "event", "type": "Warning"}], "podStatuses": [{"regexp": "status"}]}
    checks = failed_pod_checks(FailedPodCheckSettings.model_validate_json(json.dumps(given)))
    for event in ("event", "other"):
        for status in ("status", "other"):
            pod = _read(_PODS, {"status": {"phase": "Failed", "message": status}})
            found = check_failed(pod, [Event(type="Warning", message=event)], checks=checks)
            expect(event == "event" or status == "status", found is not None, of=f"{event}, {status}")


RUNS: dict[str, Run] = {
    "related.pod_status_extraction": run_extraction,
    "related.reporter_events": _playing(_report),
    "related.issue_handler": _playing(_issue),
    "related.delete_action_detection": _playing(_detection),
    "related.delete_action_lifecycle": _playing(_lifecycle),
    "related.internal_subcategory_by_issue_type": run_internal_subcategory,
    "related.active_deadline": _playing(_active_deadline),
    "related.failed_pod_issue_detection": _playing(_detection),
    "related.emission_gating": _run_gating,
    "related.failed_pod_checks.events": run_failed_event_check,
    "related.failed_pod_checks.events_init": run_failed_check_settings,
    "related.failed_pod_checks.containers": run_failed_container_check,
    "related.failed_pod_checks.podStatuses": run_failed_status_check,
    "related.failed_pod_checks.composition": run_composition,
}
"""How each group is run."""
