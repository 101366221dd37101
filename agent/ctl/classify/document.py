"""Diagnoses as plain JSON values, for programs."""

from collections.abc import Sequence
from typing import Any

from google.protobuf.json_format import MessageToDict

from agent.api.v1.failure_pb2 import FailureInfo
from agent.core.classify.explanation import Consideration
from agent.core.failure import Failure
from agent.core.failure_text.category import in_words
from agent.core.failure_text.deciding import deciding
from agent.core.failure_text.ending import limit_in_words
from agent.core.failure_text.step import step
from agent.ctl.classify.headline import headline
from agent.ctl.classify.reasoning import Explain, chosen
from agent.ctl.classify.waiting import setting
from agent.diagnose.diagnosis import Diagnosis
from agent.observe.waiting.wait import Wait, Waiting
from agent.wire.failure import fill_failure


def document(diagnosis: Diagnosis, *, explain: Explain | None, decided: bool = False) -> dict[str, Any]:
    """The headline at the top level, the whole failure as the FailureInfo of ``proto``, and the rules to explain.

    ``decided``: retry policies were asked for the verdict.
    """
    failure = diagnosis.failure
    answer = _unfailed(diagnosis) if failure is None else _failed(diagnosis, failure) | _still(diagnosis.wait)
    return answer | (_verdict(diagnosis) if decided else {}) | _rules(diagnosis.considerations, explain)


def _verdict(diagnosis: Diagnosis) -> dict[str, Any]:
    from agent.ctl.classify import verdict  # noqa: PLC0415 - who asks for no verdict should not import what decides

    return {"verdict": verdict.document(diagnosis.foreseen)}


def _unfailed(diagnosis: Diagnosis) -> dict[str, Any]:
    wait = diagnosis.wait
    answer = {"name": diagnosis.name, "healthy": wait is None, "state": diagnosis.state.value, "node": diagnosis.node}
    if isinstance(wait, Waiting):
        return answer | _waiting(wait)
    return answer | {"reason": diagnosis.reason if wait is None else wait.why}


def _still(wait: Wait | None) -> dict[str, Any]:
    """For what a pod that did not start still waits."""
    return _waiting(wait) if isinstance(wait, Waiting) else {}


def _waiting(wait: Waiting) -> dict[str, Any]:
    after = wait.given_up_after
    return {
        "waitsFor": {"kind": wait.kind.value, "name": wait.name},
        "since": None if wait.since is None else wait.since.isoformat(),
        "sinceAtEarliest": wait.at_earliest,
        "because": wait.because,
        "givenUpAfterSeconds": None if after is None else int(after.total_seconds()),
        "givenUpBy": setting(wait) or None,
    }


def _failed(diagnosis: Diagnosis, failure: Failure) -> dict[str, Any]:
    found, first, decided = failure.classification, headline(diagnosis, failure), deciding(failure)
    return {
        "name": diagnosis.name,
        "healthy": False,
        "state": diagnosis.state.value,
        "category": found.category,
        "subcategory": found.subcategory,
        "categoryInWords": in_words(failure),
        "origin": found.origin.value,
        "fault": first.fault,
        "limit": limit_in_words(failure) or None,
        "deciding": {"text": decided.sentence, "trust": decided.trust.value},
        "nextStep": step(failure),
        "follows": diagnosis.follows,
        "retry": found.advice.value if found.advice else None,
        "advised": first.advice.value if first.advice else None,
        "grade": found.grade.value if found.grade else None,
        "proof": found.proof.value if found.proof else None,
        "hint": found.hint,
        "container": first.container,
        "exitCode": first.exit_code,
        "node": first.node,
        "owners": list(diagnosis.owners),
        "matched": found.matched,
        "weak": found.weak,
        "mechanism": found.mechanism.value if found.mechanism else None,
        "corroborated": found.corroborated,
        "categories": list(found.categories),
        "failure": _contract(failure),
    }


def _contract(failure: Failure) -> dict[str, Any]:
    message = FailureInfo()
    fill_failure(message, failure)
    plain: dict[str, Any] = MessageToDict(message)
    return plain


def _rules(considerations: Sequence[Consideration], explain: Explain | None) -> dict[str, Any]:
    if explain is None or not considerations:
        return {}
    selected = chosen(considerations)
    shown = considerations if explain == "all" else (*selected.matched, *selected.refused, *selected.nearest)
    return {"rules": [_rule(consideration) for consideration in shown]}


def _rule(consideration: Consideration) -> dict[str, Any]:
    return {
        "category": consideration.category,
        "subcategory": consideration.subcategory,
        "pack": consideration.pack,
        "rule": consideration.rule,
        "index": consideration.rule_index,
        "matcher": consideration.matcher,
        "outcome": consideration.outcome.value,
        "nearness": round(consideration.nearness, 2),
        "why": consideration.why,
    }
