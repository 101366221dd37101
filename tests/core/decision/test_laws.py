"""Laws that hold for every policy and every course of failures, and the proposal's formulas beside the engine."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.failure import Failure
from agent.core.history import History
from agent.core.limit import Charge, VerdictAction
from agent.core.retry.effective import InEffect
from agent.core.retry.policy import RetrySettings
from tests.core.retry.builders import NOW, RUN, effective, failure

ON = RetrySettings(enabled=True)
CODES = (1, 2, 137)
FAILURES: list[Failure] = [failure({"containers": [{"name": "m", "exitCode": code}]}) for code in CODES]
KINDS = st.lists(st.integers(0, 2), max_size=14)

RULES = st.fixed_dictionaries(
    {
        "action": st.sampled_from(["Retry", "Fail"]),
        "onExitCodes": st.fixed_dictionaries(
            {
                "operator": st.sampled_from(["In", "NotIn"]),
                "values": st.lists(st.sampled_from(CODES), min_size=1, max_size=2, unique=True),
            }
        ),
    },
    optional={"retryLimit": st.integers(0, 4), "charge": st.sampled_from([charge.value for charge in Charge])},
)
BACKOFFS = st.fixed_dictionaries(
    {},
    optional={
        "initialDelay": st.integers(0, 600),
        "maxDelay": st.integers(0, 3600),
        "multiplier": st.sampled_from([1.0, 2.0, 3.0]),
    },
)
BUDGETS = st.dictionaries(st.sampled_from([charge.value for charge in Charge]), st.integers(0, 4), max_size=3)
ROWS = st.fixed_dictionaries(
    {"rules": st.lists(RULES, max_size=4), "backoff": BACKOFFS, "budgets": BUDGETS},
    optional={"retryLimit": st.integers(0, 4), "defaultAction": st.sampled_from(["Retry", "Fail"])},
)


def policies(rows: Sequence[dict[str, Any]], **more: str) -> list[dict[str, Any]]:
    """Rows with names; every rule has one that stays whatever stands before it."""
    return [
        {
            **row,
            **more,
            "name": f"p{number}",
            "rules": [{**rule, "name": f"r{place}"} for place, rule in enumerate(row["rules"])],
        }
        for number, row in enumerate(rows)
    ]


def course(kinds: Sequence[int], effect: InEffect, *, settings: RetrySettings = ON) -> list[Verdict]:
    history, verdicts = History(), []
    for kind in kinds:
        verdict = decide(FAILURES[kind], run=RUN, history=history, policies=effect, settings=settings, now=NOW)
        history = history.followed_by(verdict.granted_under, past=verdict.past)
        verdicts.append(verdict)
    return verdicts


def granted(verdicts: Sequence[Verdict]) -> int:
    return sum(verdict.action is VerdictAction.RETRY for verdict in verdicts)


LISTS = st.lists(ROWS, min_size=1, max_size=3)
USED = st.dictionaries(st.sampled_from(["p0/r0", "p0/default"]), st.integers(0, 5))


@given(
    rows=LISTS,
    kind=st.integers(0, 2),
    used=st.dictionaries(st.sampled_from(["p0/r0", "p0/default"]), st.integers(0, 5)),
)
def test_more_used_never_earns_a_retry(rows: list[dict[str, Any]], kind: int, used: dict[str, int]) -> None:
    effect = effective(*policies(rows))
    fresh, after = (
        decide(
            FAILURES[kind],
            run=RUN,
            history=History(granted=counts, charged={charge: sum(counts.values()) for charge in Charge}),
            policies=effect,
            settings=ON,
            now=NOW,
        ).action
        for counts in ({}, used)
    )
    assert (fresh, after) != (VerdictAction.FAIL, VerdictAction.RETRY)


@given(rows=LISTS, kinds=KINDS, code=st.sampled_from(CODES))
def test_a_fail_rule_put_first_never_adds_a_retry(rows: list[dict[str, Any]], kinds: list[int], code: int) -> None:
    named = policies(rows)
    first = {"name": "first", "action": "Fail", "onExitCodes": {"operator": "In", "values": [code]}}
    stricter = [{**named[0], "rules": [first, *named[0]["rules"]]}, *named[1:]]

    assert granted(course(kinds, effective(*stricter))) <= granted(course(kinds, effective(*named)))


@given(rows=LISTS, kinds=KINDS, data=st.data())
def test_lowering_any_limit_never_adds_a_retry(
    rows: list[dict[str, Any]], kinds: list[int], data: st.DataObject
) -> None:
    named = policies(rows)
    before = granted(course(kinds, effective(*named)))
    places: list[tuple[int, str | int]] = [
        (number, "retryLimit") for number, row in enumerate(named) if "retryLimit" in row
    ]
    places += [(number, charge) for number, row in enumerate(named) for charge in row["budgets"]]
    places += [
        (number, place)
        for number, row in enumerate(named)
        for place, rule in enumerate(row["rules"])
        if "retryLimit" in rule
    ]
    cap = data.draw(st.integers(0, 20))
    assert granted(course(kinds, effective(*named), settings=replace(ON, global_max_retries=cap))) <= before
    if not places:
        return
    number, what = data.draw(st.sampled_from(places))
    lowered = _lowered(named, number, what)
    assert granted(course(kinds, effective(*lowered))) <= before


def _lowered(named: list[dict[str, Any]], number: int, what: str | int) -> list[dict[str, Any]]:
    row = dict(named[number])
    if what == "retryLimit":
        row["retryLimit"] = max(0, row["retryLimit"] - 1)
    elif isinstance(what, int):
        rules = [dict(rule) for rule in row["rules"]]
        rules[what]["retryLimit"] = max(0, rules[what]["retryLimit"] - 1)
        row["rules"] = rules
    else:
        row["budgets"] = {**row["budgets"], what: max(0, row["budgets"][what] - 1)}
    return [*named[:number], row, *named[number + 1 :]]


@given(rows=LISTS, shadows=LISTS, kinds=KINDS, first=st.booleans())
def test_adding_shadow_policies_changes_nothing(
    rows: list[dict[str, Any]],
    shadows: list[dict[str, Any]],
    kinds: list[int],
    first: bool,  # noqa: FBT001 - hypothesis passes by name
) -> None:
    live = policies(rows)
    shadow = [{**row, "name": f"s-{row['name']}"} for row in policies(shadows, mode="shadow")]
    alone = course(kinds, effective(*live))
    beside = course(kinds, effective(*(shadow + live if first else live + shadow)))

    assert [_told(verdict) for verdict in beside] == [_told(verdict) for verdict in alone]
    assert all(verdict.explanation.shadow is not None for verdict in beside)


def _told(verdict: Verdict) -> object:
    return structs.replace(verdict.explanation, shadow=None), verdict.past._replace(shadow_key=None)


@given(rows=LISTS, kinds=KINDS)
def test_the_same_run_twice_gets_the_same_verdict(rows: list[dict[str, Any]], kinds: list[int]) -> None:
    assert course(kinds, effective(*policies(rows))) == course(kinds, effective(*policies(rows)))


@given(rows=LISTS, data=st.data())
def test_an_unrelated_edit_keeps_counts(rows: list[dict[str, Any]], data: st.DataObject) -> None:
    unnamed = [{**row, "name": f"p{number}"} for number, row in enumerate(rows)]
    number = data.draw(st.integers(0, len(rows) - 1))
    edits: dict[str, Any] = {"retryLimit": 3, "backoff": {"initialDelay": 7}, "antiAffinity": {"mode": "node"}}
    more = {"action": "Fail", "onConditions": ["Evicted"]}
    rules = [more, *({**rule, **edits, "charge": "infra"} for rule in unnamed[number]["rules"])]
    edited = [*unnamed]
    edited[number] = {**unnamed[number], **edits, "rules": rules}

    keys = [[rule.key for rule in policy.rules] for policy in effective(*unnamed).policies]
    keys[number] = [effective(*edited).policies[number].rules[0].key, *keys[number]]
    assert [[rule.key for rule in policy.rules] for policy in effective(*edited).policies] == keys


def oracle(kinds: Sequence[int], rows: Sequence[dict[str, Any]], *, cap: int) -> list[tuple[str, float]]:
    """The proposal's formulas, transcribed: the action of each failure, and the delay of a retry, in seconds."""
    counts: dict[str, int] = {}
    told = []
    for kind in kinds:
        code = CODES[kind]
        matched = next(
            ((row, rule) for row in rows for rule in row["rules"] if _matches(rule["onExitCodes"], code)), None
        )
        if matched is not None:
            row, rule = matched
            name, action = f"{row['name']}/{rule['name']}", rule["action"]
            limit = _first(rule.get("retryLimit"), row.get("retryLimit"), cap)
            levels = [rule.get("backoff", {}), row["backoff"]]
        else:
            row = rows[0]
            name, action = f"{row['name']}/default", _default(rows)
            limit = min([row["retryLimit"] for row in rows if "retryLimit" in row], default=cap)
            levels = [row["backoff"]]
        count = counts.get(name, 0)
        if action == "Retry" and count < limit and sum(counts.values()) < cap:
            counts[name] = failure_count = count + 1
            initial, most, multiplier = (
                _first(*(level.get(field) for level in levels), default)
                for field, default in (("initialDelay", 0), ("maxDelay", 600), ("multiplier", 2.0))
            )
            told.append(("retry", min(initial * multiplier ** (failure_count - 1), most)))
        else:
            told.append(("fail", 0))
    return told


def _matches(matcher: dict[str, Any], code: int) -> bool:
    return code != 0 and (code in matcher["values"]) == (matcher["operator"] == "In")


def _first(*values: Any) -> Any:  # noqa: ANN401 - numbers or None
    return next(value for value in values if value is not None)


def _default(rows: Sequence[dict[str, Any]]) -> str:
    later = [row.get("defaultAction") for row in rows[1:]]
    return "Retry" if rows[0].get("defaultAction") == "Retry" and "Fail" not in later else "Fail"


@given(rows=LISTS, kinds=KINDS, cap=st.integers(0, 20))
def test_the_proposals_formulas_agree(rows: list[dict[str, Any]], kinds: list[int], cap: int) -> None:
    named = [{**row, "budgets": {}} for row in policies(rows)]
    verdicts = course(kinds, effective(*named), settings=replace(ON, global_max_retries=cap))

    assert [(verdict.action.value, verdict.delay.total_seconds()) for verdict in verdicts] == oracle(
        kinds, named, cap=cap
    )
