"""A job's timeline as plain data, for programs."""

from typing import Any

import msgspec
from google.protobuf.json_format import MessageToDict
from pydantic.alias_generators import to_camel

from agent.api.v1.failure_pb2 import FailureInfo
from agent.core.classify.advised import advised
from agent.core.decision.explanation_text import headline
from agent.core.decision.next_step import retries
from agent.core.failure import Failure
from agent.core.failure_text.category import in_words
from agent.core.failure_text.deciding import deciding
from agent.core.failure_text.ending import exit_code, limit_in_words
from agent.core.failure_text.fault import fault
from agent.ctl.explain.advice import follows, next_of
from agent.ctl.explain.outcome import outcome, state_word
from agent.store.recorded import RecordedFailure, RecordedRun, RecordedVerdict, SubmittedPart, Timeline
from agent.wire.failure import fill_failure

Document = dict[str, Any]


def document(timeline: Timeline) -> Document:
    """Dicts, lists and scalars; times are ISO 8601 in UTC. ``failure`` is the contract's ``FailureInfo``."""
    stands = outcome(timeline) if timeline.runs else None
    submitted = timeline.submitted
    return {
        "jobId": timeline.job_id,
        "queue": timeline.queue,
        "jobSet": timeline.job_set,
        "gangId": timeline.gang_id,
        "state": state_word(timeline, stands),
        "nextStep": "" if stands is None or _waits(submitted) else next_of(timeline, stands),
        "follows": "" if stands is None else follows(timeline, stands),
        "earlierRuns": timeline.earlier_runs,
        "runs": [_run(run) for run in timeline.runs],
        "submitted": None if submitted is None else _in_camel_case(msgspec.to_builtins(submitted)),
    }


def _waits(submitted: SubmittedPart | None) -> bool:
    """Whether nothing is to be done but to wait, as ``submitted.wait`` says."""
    return submitted is not None and bool(submitted.wait)


def _run(run: RecordedRun) -> Document:
    return {
        "runId": run.run_id,
        "attempt": run.attempt,
        "cluster": run.cluster,
        "namespace": run.namespace,
        "pod": run.pod_name,
        "node": run.node,
        "phase": run.phase,
        "firstOccurredAt": run.first_occurred_at.isoformat(),
        "failures": [_failure(failure) for failure in run.failures],
        "verdict": None if run.verdict is None else _verdict(run.verdict),
    }


def _failure(recorded: RecordedFailure) -> Document:
    failure = recorded.failure
    found, decided = failure.classification, deciding(failure)
    return {
        "eventId": recorded.event_id,
        "amends": recorded.amends,
        "occurrence": failure.occurrence.value,
        "occurredAt": recorded.occurred_at.isoformat(),
        "observedAt": recorded.observed_at.isoformat(),
        "storedAt": recorded.stored_at.isoformat(),
        "category": found.category,
        "subcategory": found.subcategory,
        "categoryInWords": in_words(failure),
        "origin": found.origin.value,
        "fault": fault(found),
        "limit": limit_in_words(failure) or None,
        "deciding": {"text": decided.sentence, "trust": decided.trust.value},
        "mechanism": found.mechanism.value if found.mechanism else None,
        "corroborated": found.corroborated,
        "grade": found.grade.value if found.grade else None,
        "proof": found.proof.value if found.proof else None,
        "advised": in_effect.value if (in_effect := advised(found)) else None,
        "container": failure.culprit_container or failure.container_name,
        "exitCode": exit_code(failure),
        "message": recorded.key_line,
        "failure": _contract(failure),
    }


def _verdict(recorded: RecordedVerdict) -> Document:
    verdict = recorded.verdict
    return {
        "eventId": recorded.event_id,
        "decidedAt": recorded.decided_at.isoformat(),
        "action": verdict.action.value,
        "reason": verdict.reason.value,
        "summary": headline(verdict.explanation),
        "retries": retries(verdict.explanation),
        "policy": verdict.policy,
        "ruleKey": verdict.rule_key,
        "delaySeconds": verdict.delay.total_seconds(),
        "notBefore": None if verdict.not_before is None else verdict.not_before.isoformat(),
        "avoidNodes": list(verdict.avoid_nodes),
        "explanation": _in_camel_case(msgspec.to_builtins(verdict.explanation)),
    }


def _contract(failure: Failure) -> Document:
    message = FailureInfo()
    fill_failure(message, failure)
    plain: Document = MessageToDict(message)
    return plain


def _in_camel_case(value: object) -> object:
    """The same with field names as the contract's JSON spells them; an explanation has no keys but field names."""
    if isinstance(value, dict):
        return {to_camel(name): _in_camel_case(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_in_camel_case(member) for member in value]
    return value
