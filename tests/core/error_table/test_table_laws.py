"""The laws of the error table in strict mode."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from agent.core.decision.decide import judge
from agent.core.decision.growth import grow
from agent.core.decision.judgement import Judgement
from agent.core.error_table.answer import NO_ANSWER, ErrorRules, TableAnswer, TableQuery, ask_table
from agent.core.error_table.codes import ErrorCodes
from agent.core.error_table.compiled import compile_table
from agent.core.error_table.engine import ask
from agent.core.error_table.given import Attributes, JobError
from agent.core.error_table.row import ErrorRule, ErrorTable, ReadingMode
from agent.core.evidence import ContainerMemory
from agent.core.history import History, MostRuns
from agent.core.limit import VerdictAction
from agent.core.retry.facts import Facts
from agent.core.retry.policy import RetrySettings
from tests.core.error_table.drawn import ATTRIBUTES, ERRORS, NOW, limit_of, limits, numbered, rules, strictly, table_of
from tests.core.retry.builders import effective, failure

RULES = st.lists(rules(), max_size=8)
LIMITS = st.lists(limits(), max_size=8)
MEMORY = st.lists(
    st.builds(
        ContainerMemory,
        name=st.sampled_from(("main", "side")),
        request=st.none() | st.integers(0, 9000 << 20),
        limit=st.none() | st.integers(0, 9000 << 20),
    ),
    max_size=2,
    unique_by=lambda action: action.name,
)


def answer(
    found: list[ErrorRule], errors: list[JobError], attributes: Attributes, *, runs: int, before: int | None
) -> TableAnswer:
    error_rules = ErrorRules(table=compile_table(table_of(found)), codes=ErrorCodes())
    most = None if before is None else MostRuns(before, "error rule 99 (limit_retry)")
    return ask_table(error_rules, TableQuery(errors=errors, attributes=attributes, runs=runs, most_runs=most), now=NOW)


def judged(said: TableAnswer = NO_ANSWER, *, proposed: str = "Retry") -> Judgement:
    policies = effective({"name": "p", "defaultAction": proposed})
    return judge(policies, Facts(failure({})), history=History(), settings=RetrySettings(enabled=True), table=said)


@given(found=RULES, errors=ERRORS, attributes=ATTRIBUTES, runs=st.integers(1, 9), before=st.none() | st.integers(0, 9))
def test_no_rule_ever_raises_a_limit(
    found: list[ErrorRule], errors: list[JobError], attributes: Attributes, runs: int, before: int | None
) -> None:
    said = answer(found, errors, attributes, runs=runs, before=before)
    if before is not None:
        assert said.most_runs is not None
        assert said.most_runs.runs <= before
    assert all(limit.allowed == (runs < limit.limit) for limit in said.limits)
    assert all(limit.source.startswith("error rule ") for limit in said.limits)

    held, without = judged(said), judged()
    assert held.limits == (*without.limits, *said.limits)
    allowed = all(limit.allowed for limit in said.limits)
    assert without.action is VerdictAction.RETRY
    assert held.action is (VerdictAction.RETRY if allowed else VerdictAction.FAIL)
    assert judged(said, proposed="Fail").action is VerdictAction.FAIL


@given(found=RULES, more=st.lists(rules(active=st.just("N")), max_size=4), errors=ERRORS, attributes=ATTRIBUTES)
def test_a_rule_that_is_not_active_changes_nothing_but_the_log(
    found: list[ErrorRule], more: list[ErrorRule], errors: list[JobError], attributes: Attributes
) -> None:
    without = strictly(table_of(found), errors, attributes)
    table = ErrorTable(rules=(*numbered(found), *(replace(rule, identity=1000 + at) for at, rule in enumerate(more))))
    said = strictly(table, errors, attributes)
    assert said.effects == without.effects
    assert [logged for logged in said.log if logged.active] == [logged for logged in without.log if logged.active]


@given(data=st.data(), found=RULES, errors=ERRORS, attributes=ATTRIBUTES)
def test_the_order_of_rows_is_irrelevant(
    data: st.DataObject, found: list[ErrorRule], errors: list[JobError], attributes: Attributes
) -> None:
    rows = numbered(found)
    shuffled = data.draw(st.permutations(rows))
    ordered = strictly(ErrorTable(rules=tuple(rows)), errors, attributes)
    other = strictly(ErrorTable(rules=tuple(shuffled)), errors, attributes)
    assert (ordered.effects, ordered.log, ordered.faults) == (other.effects, other.log, other.faults)


@given(found=LIMITS, narrower=limits(active=st.just("Y")), errors=ERRORS, attributes=ATTRIBUTES)
def test_adding_a_narrower_rule_never_loosens_beyond_itself(
    found: list[ErrorRule], narrower: ErrorRule, errors: list[JobError], attributes: Attributes
) -> None:
    """It changes nothing for failures that it does not match; where it does, the limit is its own, or a lower one."""
    rows = numbered([rule for rule in found if rule.weight < narrower.weight])
    before = limit_of(strictly(ErrorTable(rules=tuple(rows)), errors[:1], attributes))
    added = replace(narrower, identity=1000)
    said = strictly(ErrorTable(rules=(*rows, added)), errors[:1], attributes)
    alone = limit_of(strictly(ErrorTable(rules=(added,)), errors[:1], attributes))
    after = limit_of(said)
    if alone is None:
        assert after == before
    else:
        assert after == alone
        assert before is None or alone > before or after <= before


@given(found=RULES, errors=ERRORS, attributes=ATTRIBUTES, memory=MEMORY, culprit=st.sampled_from(("", "main", "gone")))
def test_no_rule_takes_memory_away(
    found: list[ErrorRule], errors: list[JobError], attributes: Attributes, memory: list[ContainerMemory], culprit: str
) -> None:
    said = answer(found, errors, attributes, runs=1, before=None)
    grown = grow(None, memory, said, culprit=culprit)
    for old, new in zip(memory, grown.memory, strict=True):
        assert new.name == old.name
        assert (new.request or 0) >= (old.request or 0)
        assert (new.limit or 0) >= (old.limit or 0)
        assert (new.request is None) == (old.request is None)
        assert new == old or new.name == culprit
    assert len(grown.notes) == len(said.memory)


@given(errors=ERRORS, attributes=ATTRIBUTES)
def test_an_empty_table_says_nothing(errors: list[JobError], attributes: Attributes) -> None:
    said = answer([], errors, attributes, runs=3, before=None)
    assert replace(said, error_rules=None) == NO_ANSWER
    assert judged(said) == judged()


@given(found=RULES, errors=ERRORS, attributes=ATTRIBUTES)
def test_one_rule_of_a_kind_acts_on_one_error_only(
    found: list[ErrorRule], errors: list[JobError], attributes: Attributes
) -> None:
    said = strictly(table_of(found), errors, attributes)
    kinds = [
        "limit" if effect.action in ("no_retry", "limit_retry") else (effect.action, effect.stage)
        for effect in said.effects
    ]
    assert len(kinds) == len(set(kinds))
    assert len({(effect.rule.source, effect.rule.code) for effect in said.effects}) <= 1
    assert all(effect.rule.active == "Y" and not effect.rule.expired(NOW) for effect in said.effects)


@given(found=RULES, errors=ERRORS, attributes=ATTRIBUTES)
def test_both_modes_agree_on_a_table_of_one_good_active_rule(
    found: list[ErrorRule], errors: list[JobError], attributes: Attributes
) -> None:
    for rule in found[:1]:
        good = replace(rule, identity=1, active="Y", parameters="maxAttempt=3")
        table = compile_table(ErrorTable(rules=(good,)))
        strict, compatible = (
            ask(table, errors[:1], attributes=attributes, now=NOW, mode=mode).effects
            for mode in (ReadingMode.STRICT, ReadingMode.COMPATIBLE)
        )
        assert strict == compatible
