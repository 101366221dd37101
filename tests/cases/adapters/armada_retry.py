"""Armada's retry cases: its shipped policies through our parser and engine, its prototypes through compilers."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from agent.core import units
from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.evidence import ContainerKind, ContainerMemory
from agent.core.history import History
from agent.core.limit import Reason, VerdictAction
from agent.core.retry.choices import Avoidance
from agent.core.retry.compiled import compile_policy
from agent.core.retry.dialect import Spread
from agent.core.retry.effective import in_effect
from agent.core.retry.growth import MemoryGrowth
from agent.core.retry.memory import mutate
from agent.core.retry.policy import RetryPolicy, RetrySettings, Rule
from agent.core.run import RunFacts
from agent.documents.problem import ManifestError, Problem
from agent.manifests.retry.armada import read_action, write_action
from agent.manifests.retry.load import load_retry_policy
from tests.cases.adapter import Adapter, Differs, expect
from tests.cases.adapters import armada_service, prototype_4634, prototype_4804
from tests.cases.adapters.armada_failures import failure_of
from tests.cases.adapters.armada_retry_words import conversions_words, engines_words, servers_words
from tests.cases.case import Case

FILE = "retry-policy.json"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
RUN = RunFacts(lineage="job", node="node-1")

Policy = Mapping[str, Any]
Words = Callable[[Problem, Policy], str]


def load(policy: Policy) -> RetryPolicy:
    """A policy of Armada's API as the document that its command line takes. Raises ManifestError."""
    head = {"apiVersion": "armadaproject.io/v1beta1", "kind": "RetryPolicy"}
    return load_retry_policy(json.dumps({**head, **policy}), file=FILE)


def _faults(policy: Policy | None, words: Words, *, nil: str) -> list[str]:
    if policy is None:
        return [nil]
    try:
        load(policy)
    except ManifestError as error:
        return [words(problem, policy) for problem in error.problems]
    return []


def _validated(case: Case, words: Words, *, nil: str) -> None:
    told = _faults(case.data["policy"], words, nil=nil)
    if case.data.get("expectValid"):
        expect([], told, of="faults")
        return
    wanted, full = case.data["expectError"], case.data.get("fullErrorText")
    if not any(wanted in one and full in (None, one) for one in told):
        raise Differs(f"expected an error with {full or wanted!r}, got {told}")


def run_server_validation(case: Case) -> None:
    """A policy that the server takes or refuses."""
    _validated(case, servers_words, nil="retry policy must not be nil")


def run_engine_validation(case: Case) -> None:
    """A policy that the engine takes or refuses."""
    _validated(case, engines_words, nil="policy must not be nil")


def run_convert(case: Case) -> None:
    """A policy of the API as the engine has it."""
    policy = case.data["policy"]
    if "expectError" in case.data:
        _validated(case, conversions_words, nil="retry policy is nil")
        return
    expect(case.data["expect"], _converted(load(policy)), of="policy")


def _converted(policy: RetryPolicy) -> dict[str, Any]:
    return {
        "name": policy.name,
        "retryLimit": policy.retry_limit,
        "defaultAction": str(policy.default_action or ""),
        "rules": [_rule(rule) for rule in policy.rules],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    matcher = rule.matcher
    category, subcategory = getattr(matcher, "category", ""), getattr(matcher, "subcategory", None)
    told = {"action": str(rule.action), "onCategory": category, "mutation": _mutation(rule)}
    return {**told, "onSubcategory": subcategory} if subcategory else told


def _mutation(rule: Rule | None) -> dict[str, Any]:
    if rule is None:
        return {}
    told: dict[str, Any] = {}
    if rule.anti_affinity.mode is Avoidance.NODE:
        told["affinity"] = {"avoidSameNode": True}
    if rule.memory is not None:
        told["resources"] = {"memory": _amount(rule.memory)}
    return told


def _amount(memory: MemoryGrowth) -> dict[str, Any]:
    if memory.factor is not None:
        return {"factor": memory.factor}
    return {"static": units.in_bytes(memory.static or 0)}


def run_case(case: Case) -> None:
    """One evaluation of the shipped engine."""
    policy, row = load(case.data["policy"]), case.data["failure"]
    if row is None:
        got = {"shouldRetry": False, "decision": "no_error", "reason": NO_ERROR, "mutation": {}}
    else:
        got = _told(policy, _decided(case, policy))
    expected = case.data["expect"]
    expect(expected, {name: got[name] for name in expected}, of="verdict")


NO_ERROR = "no error information available"
"""Said of a run without an error; our engine is asked about failures only, so nothing is asked here."""


def _decided(case: Case, policy: RetryPolicy) -> Verdict:
    failures = case.data["counts"]["failures"]
    return decide(
        failure_of(case.data["failure"]),
        run=RUN,
        history=History(granted={"all": max(failures - 1, 0)}, undisturbed=max(failures - 1, 0)),
        policies=in_effect([compile_policy(policy)]),
        settings=RetrySettings(enabled=True, global_max_retries=case.data["globalMaxRetries"]),
        now=NOW,
    )


DECISIONS = {
    Reason.RULE: "fail_rule",
    Reason.DEFAULT_ACTION: "fail_default",
    Reason.POLICY_LIMIT: "fail_policy_limit",
    Reason.GLOBAL_LIMIT: "fail_global_limit",
}
"""Armada's decisions by our reason, of verdicts to fail."""


def _told(policy: RetryPolicy, verdict: Verdict) -> dict[str, Any]:
    """The verdict as Armada tells it: it asks the cap first, and then no rule."""
    limits = {limit.source: limit for limit in verdict.explanation.limits}
    cap = limits["globalMaxRetries"]
    reason = verdict.reason if cap.allowed else Reason.GLOBAL_LIMIT
    retries = verdict.action is VerdictAction.RETRY
    decider = verdict.explanation.decider
    rule = next((one.rule for one in _rules(policy) if one.key == verdict.rule_key), None) if retries else None
    if reason is Reason.GLOBAL_LIMIT:
        text = f"global max retries exceeded ({cap.used}/{cap.limit})"
        text = text if cap.limit else "global max retries is 0, retries disabled"
    elif reason is Reason.POLICY_LIMIT:
        limit = limits[f"retryLimit of policy {policy.name}"]
        text = f"policy retry limit exceeded ({limit.used}/{limit.limit})"
    elif decider is not None and decider.rule:
        text = f"matched rule: {decider.action}"
    else:
        text = "no rule matched, using default action"
    decision = "retry" if retries else DECISIONS[reason]
    return {"shouldRetry": retries, "decision": decision, "reason": text, "mutation": _mutation(rule)}


def _rules(policy: RetryPolicy) -> Any:  # noqa: ANN401 - compiled rules
    return compile_policy(policy).rules


def run_failure_count(case: Case) -> None:
    """How many runs failed of themselves: ours counts the retries they were granted, so each is given one."""
    history = History()
    for flag in case.data["runs"]:
        history = _after(history, flag)
    expect(case.data["expect"], history.undisturbed, of="count")


def _after(history: History, flag: str) -> History:
    """The history after a run of this kind, under a policy that retries whatever fails."""
    rows: dict[str, dict[str, Any]] = {
        "failed": {"reason": "podError", "kubernetesReason": "AppError", "containerErrors": [{"exitCode": 1}]},
        "preempted": {"reason": "jobRunPreemptedError"},
        "leaseReturned": {"reason": "podLeaseReturned"},
    }
    if flag == "succeeded":
        return history
    policy = load({"name": "all", "retryLimit": 1000, "defaultAction": "Retry", "rules": []})
    verdict = decide(
        failure_of(rows[flag]),
        run=RunFacts(lineage="job", returned=flag == "leaseReturned"),
        history=history,
        policies=in_effect([compile_policy(policy)]),
        settings=RetrySettings(enabled=True, global_max_retries=1000, max_attempted_runs=1000),
        now=NOW,
    )
    expect(VerdictAction.RETRY, verdict.action, of=f"action after {flag}")
    return history.followed_by(verdict.granted_under, past=verdict.past)


def run_unmarshal(case: Case) -> None:
    """An action as JSON spells it."""
    try:
        action = read_action(json.loads(case.data["json"]))
    except ValueError as error:
        if not case.data.get("expectError"):
            raise Differs(f"refused: {error}") from error
        return
    expect(case.data.get("expect"), f"RETRY_ACTION_{action.name}", of="action")


def run_marshal(case: Case) -> None:
    """An action as Armada writes it."""
    try:
        written = json.dumps(write_action(case.data["value"]))
    except ValueError as error:
        if not case.data.get("expectError"):
            raise Differs(f"refused: {error}") from error
        return
    expect(case.data.get("expectJson"), written, of="JSON")


def run_resource_mutations(case: Case) -> None:
    """More memory for each container of a pod."""
    given = case.data["mutations"] or {}
    try:
        growth = _growth(given)
    except units.QuantityError as error:
        expected = case.data.get("expectError")
        if not expected or (isinstance(expected, str) and expected not in f"invalid static quantity: {error}"):
            raise Differs(f"refused: {error}") from error
        return
    expect(bool(case.data.get("expectError")), False, of="error")
    memory = [_memory(name, size, kind) for kind, key in KINDS for name, size in (case.data.get(key) or {}).items()]
    after = memory if growth is None else mutate(growth, spread=Spread.EVERY, culprit="", memory=memory)[1]
    got = {one.name: (one.request, one.limit) for one in after}
    wanted = {name: _sizes(size) for name, size in _expected(case.data).items()}
    if not wanted:
        raise Differs(f"the case expects nothing: {sorted(case.data)}")
    expect(wanted, {name: got[name] for name in wanted}, of="memory")


KINDS = ((ContainerKind.APP, "containers"), (ContainerKind.INIT, "initContainers"))


def _expected(data: Mapping[str, Any]) -> dict[str, Any]:
    """The memory expected by container, whether the case says it at once, by kind, or in fields of their own."""
    found: dict[str, Any] = {}
    for name, value in data.items():
        if name.startswith("expect") and isinstance(value, Mapping):
            found.update(_flat(value))
    return found


def _flat(value: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, one in value.items():
        if isinstance(one, Mapping) and not {"request", "limit"} & one.keys():
            flat.update(_flat(one))
        else:
            flat[name] = one
    return flat


def _growth(given: Mapping[str, Any]) -> MemoryGrowth | None:
    if given.get("memoryFactor"):
        return MemoryGrowth(factor=given["memoryFactor"])
    if given.get("memoryStatic"):
        return MemoryGrowth(static=_bytes(given["memoryStatic"]))
    return None


def _bytes(size: str | int) -> int:
    number = units.parse(str(size))
    return int(number) if number == int(number) else int(Fraction(number)) + 1


Size = str | Mapping[str, str] | None
"""One size is that of the request and of the limit."""


def _sizes(size: Size) -> tuple[int | None, int | None]:
    """The request and the limit."""
    both = size if isinstance(size, Mapping) else {"request": size, "limit": size}
    request, limit = (None if not both.get(name) else _bytes(str(both[name])) for name in ("request", "limit"))
    return request, limit


def _memory(name: str, size: Size, kind: ContainerKind) -> ContainerMemory:
    request, limit = _sizes(size)
    return ContainerMemory(name=name, kind=kind, request=request, limit=limit)


OWN = {
    "config_validation": "node labels that its scheduler indexes; we have no node ids",
}


def own(case: Case) -> str | None:
    """Return why a case is Armada's own."""
    return OWN.get(case.path)


ADAPTER = Adapter(
    runs={
        "cases": run_case,
        "engine_policy_validation": run_engine_validation,
        "convert_policy": run_convert,
        "server_policy_validation": run_server_validation,
        "failure_count": run_failure_count,
        "retry_action_json.unmarshal": run_unmarshal,
        "retry_action_json.marshal": run_marshal,
        "resource_mutations": run_resource_mutations,
        **prototype_4804.RUNS,
        **prototype_4634.RUNS,
        **armada_service.RUNS,
    },
    own=own,
)
"""``scheduler_scenarios``, ``queue_order`` and others come with later parts."""
