"""Armada's classifier cases through our parser, evidence, classifier, summary, wire and metrics.

Armada's empty category is our ``none``; its ``ClassifyContainerError`` consults neither message nor events.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace
from prometheus_client import REGISTRY

from agent.api.v1 import failure_pb2
from agent.core.classify.classifier import compile_rules
from agent.core.evidence import Evidence
from agent.core.failure import NO_CATEGORY, Classification, Occurrence, Origin
from agent.core.summary.redaction import Redactor
from agent.core.summary.submission import Submission
from agent.core.summary.summary import summarise
from agent.documents.problem import ManifestError
from agent.kube import objects
from agent.kube.codec import Codec, Undecodable
from agent.manifests.categories.packs import load_categories
from agent.observe.events import read_events
from agent.observe.evidence import read_evidence
from agent.patterns import BacktrackingSearches
from agent.telemetry import cluster_metrics
from agent.wire import failure as wire
from tests.cases.adapter import Adapter, Differs, expect
from tests.cases.adapters.armada_related import CHECKS, RUNS
from tests.cases.adapters.armada_words import in_armadas_words, with_hint
from tests.cases.case import Case

FILE = "errorCategories.json"
RULE_DURATION = "armada_executor_job_failure_rule_evaluation_duration_seconds"
FAILURES = "armada_executor_job_failure_category_total"
METRICS = {FAILURES: "failure_agent_failures_total"}

_PODS = Codec(objects.Pod)
_EVENTS = Codec(objects.Event)


def _config(case: Case) -> dict[str, Any]:
    """Return the case's configuration; one without the block is one with an empty block."""
    config = case.data.get("config") or {}
    return {"errorCategories": config.get("errorCategories") or {}}


def _classify(config: Mapping[str, Any], evidence: Evidence) -> Classification:
    rules = load_categories(json.dumps(config, ensure_ascii=False), file=FILE)
    return compile_rules(rules, searches=BacktrackingSearches(clock=time.monotonic)).classify(evidence)


def _read(codec: Codec[Any], data: object) -> Any:  # noqa: ANN401 - what the codec reads
    read = codec.read(json.dumps(data).encode())
    if isinstance(read, Undecodable):
        raise Differs(f"not readable: {read}")
    return read


def _evidence(case: Case) -> Evidence:
    """Return the evidence of the call: the pod alone, or with the message and events that the case gives."""
    alone = case.data.get("call", "ClassifyContainerError") == "ClassifyContainerError"
    events = [] if alone else [_read(_EVENTS, event) for event in case.data.get("events") or ()]
    message = "" if alone else case.data.get("podErrorMessage") or ""
    pod = _read(_PODS, case.data.get("pod") or {})
    return replace(read_evidence(pod, occurrence=Occurrence.POD_FAILED, events=read_events(events)), pod_error=message)


def run_case(case: Case) -> None:
    """A classification, or a configuration that is refused."""
    if "expectConfigError" in case.data:
        run_config_error(case, legacy=False)
        return
    given = _classify(_config(case), _evidence(case))
    category = "" if not given.matched and given.category == NO_CATEGORY else given.category
    got = {"category": category, "subcategory": given.subcategory, "hint": given.hint, "action": given.action.value}
    expected = case.data["expect"]
    expect(expected, {name: got[name] for name in expected}, of="classification")


def run_config_error(case: Case, *, legacy: bool) -> None:
    """A configuration that is refused, by containment of the expected words in those of some fault."""
    wanted, config = case.data["expectConfigError"], _config(case)
    try:
        load_categories(json.dumps(config, ensure_ascii=False), file=FILE)
    except ManifestError as error:
        said = [in_armadas_words(problem, config, legacy=legacy) for problem in error.problems]
        if not any(wanted in words for words in said):
            raise Differs(f"expected an error with {wanted!r}, got {said}") from error
    else:
        raise Differs(f"expected an error with {wanted!r}, got none")


def run_append_hint(case: Case) -> None:
    """The text that is shown where there is one text only."""
    expect(case.data["expect"], with_hint(case.data["message"], case.data["hint"]), of="text")


def _matches(matcher: Mapping[str, Any], terminated: Mapping[str, Any]) -> bool:
    """Return whether one rule matches a pod with one container that ended so."""
    status = {"containerStatuses": [{"name": "main", "state": {"terminated": dict(terminated)}}]}
    pod = _read(_PODS, {"status": {"phase": "Failed", **status}})
    config = {"errorCategories": [{"name": "matched", "rules": [dict(matcher)]}] if matcher else []}
    return _classify(config, read_evidence(pod, occurrence=Occurrence.POD_FAILED)).matched


def run_exit_code(case: Case) -> None:
    """One exit code against one matcher; Armada's nil matcher is a rule that is not there."""
    matcher = case.data["matcher"]
    got = _matches({"onExitCodes": matcher} if matcher else {}, {"exitCode": case.data["exitCode"], "reason": "Error"})
    expect(case.data["expect"], got, of="match")


def run_pattern(case: Case) -> None:
    """One text against one pattern."""
    matcher = {"onTerminationMessage": {"pattern": case.data["pattern"]}}
    got = _matches(matcher, {"exitCode": 1, "reason": "Error", "message": case.data["value"]})
    expect(case.data["expect"], got, of="match")


def run_metric(case: Case) -> None:
    """A count of failures by category and subcategory."""
    record = partial(cluster_metrics.record_failure, origin=Origin.UNKNOWN)
    calls: dict[str, Callable[[str, str], None]] = {"RecordJobFailure": record}
    labels = {"category": case.data["category"], "subcategory": case.data["subcategory"], "origin": Origin.UNKNOWN}
    metric = METRICS[case.data["metric"]]
    before = REGISTRY.get_sample_value(metric, labels) or 0
    calls[case.data["call"]](labels["category"], labels["subcategory"])
    after = REGISTRY.get_sample_value(metric, labels) or 0
    expect(case.data["expectDelta"], after - before, of=metric)


def run_all_categories(case: Case) -> None:
    """The first version of the classifier, which gave every matching category."""
    given = _classify(_config(case), _evidence(case))
    expect(case.data["expect"]["categories"] or [], list(given.categories), of="categories")


def run_legacy_config_error(case: Case) -> None:
    """A configuration that the first version refused."""
    run_config_error(case, legacy=True)


def run_failure_info(case: Case) -> None:
    """The first four fields of ``FailureInfo``, as they arrive: summarised, encoded, decoded."""
    names: Sequence[str] = case.data.get("categories") or ()
    given = Classification(category=names[0] if names else NO_CATEGORY, matched=bool(names), categories=tuple(names))
    failure = summarise(
        _evidence(case),
        given,
        occurrence=Occurrence.POD_FAILED,
        submitted=Submission(),
        redactor=Redactor(),
    )
    message = failure_pb2.FailureInfo.FromString(wire.encode(failure))
    got = {
        "exitCode": message.exit_code,
        "terminationMessage": message.termination_message,
        "categories": list(message.categories) or None,
        "containerName": message.container_name,
    }
    expected = case.data["expect"]
    expect(expected, {name: got[name] for name in expected}, of="FailureInfo")


def own(case: Case) -> str | None:
    """Return why a case is Armada's own."""
    if case.data.get("metric") == RULE_DURATION:
        return "durations per rule; all rules are evaluated at once and one classification is timed as a whole"
    if case.path == "related.debug_capture_gate":
        return "when its debug message is captured; our evidence is always whole"
    return None


ADAPTER = Adapter(
    runs={
        "cases": run_case,
        "append_hint": run_append_hint,
        "match_exit_code": run_exit_code,
        "match_pattern": run_pattern,
        "metric_cases": run_metric,
        "legacy_v1_cases": run_all_categories,
        "legacy_v1_config_errors": run_legacy_config_error,
        "legacy_v1_extract_failure_info": run_failure_info,
        **RUNS,
    },
    own=own,
    settings=frozenset({CHECKS}),
)
