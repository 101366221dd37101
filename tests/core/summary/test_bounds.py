from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from agent.core.evidence import (
    Condition,
    Container,
    ContainerKind,
    ContainerState,
    Event,
    Evidence,
    LogTail,
    MissingEvidence,
    Node,
    Pod,
    StateKind,
    Taint,
)
from agent.core.failure import (
    CheckAction,
    CheckCause,
    CheckFinding,
    Classification,
    Detail,
    DetailKey,
    Failure,
    Hypothesis,
    KeyLine,
    Match,
    Mechanism,
    Occurrence,
    StackTrace,
    Trust,
    UserCode,
)
from agent.core.summary.bounds import (
    CUT,
    FAILURE_BYTES,
    LADDER,
    Limits,
    bound,
    cut,
    cut_start,
    marks,
    size,
)
from agent.core.summary.fit import surely_fits
from agent.core.summary.summary import texts_of
from agent.core.summary.texts import collect
from agent.wire.failure import encode
from tests.core import strategies

WIDEST = LADDER[0]
AT = datetime(9999, 12, 30, 23, 59, 59, 999999, tzinfo=UTC)


def huge(piece: str, times: int, items: int) -> Failure:
    """A failure with ``items`` of everything and every text the same piece so many times."""
    text = piece * times
    state = ContainerState(
        kind=StateKind.TERMINATED, reason=text, message=text, exit_code=-1, signal=-1, started_at=AT, finished_at=AT
    )
    condition = Condition(type=text, status=text, reason=text, message=text, transitioned_at=AT, heartbeat_at=AT)
    container = Container(name=text, kind=ContainerKind.APP, image=text, state=state, last_state=state, ended=state)
    match = Match(
        category=text,
        subcategory=text,
        rule_index=1,
        matcher=text,
        where=text,
        text=text,
        trust=Trust.SYSTEM,
        container=text,
    )
    given = Classification(
        category=text,
        subcategory=text,
        hint=text,
        categories=(text,) * items,
        matches=(match,) * items,
        timed_out=(text,) * items,
        revision=text,
        mechanism=Mechanism.EXITED,
        corroborated=False,
        hypotheses=(Hypothesis(match=match, refused=text),) * items,
        hypotheses_left_out=1,
        detail=tuple(Detail(key=key, value=text) for key in DetailKey),
    )
    return Failure(
        occurrence=Occurrence.POD_FAILED,
        classification=given,
        overruled=replace(given, categories=()),
        fingerprint="v1:9f86d081884c7d65",
        check=CheckFinding(check=text, action=CheckAction.FAIL, cause=CheckCause.FAILED),
        termination_message=text,
        container_name=text,
        culprit_container=text,
        termination_reason=text,
        user_code=UserCode(reason=text),
        pod=Pod(
            phase=text, reason=text, message=text, qos_class=text,
            conditions=(condition,) * items, containers=(container,) * items,
        ),
        pod_error=text,
        node=Node(
            name=text, conditions=(condition,) * items,
            taints=(Taint(key=text, value=text, effect=text),) * items, log_lines=(text,) * items,
        ),
        events=(Event(reason=text, message=text, type=text, component=text),) * items,
        stack_trace=StackTrace(
            tail=text, key_line=text, line_count=9, candidates=(KeyLine(text=text, why=text),) * items
        ),
        log_tails=(LogTail(container=text, text=text),) * items,
        truncated=(text,) * items,
        sanitized=(text,) * items,
        redacted=(text,) * items,
        missing=(MissingEvidence(what=text, reason=text),) * items,
    )  # fmt: skip # one line a part


@pytest.mark.parametrize("piece", ["x", "🦀"])
@pytest.mark.parametrize(("times", "items"), [(1, 200), (16, 70), (70, 70), (300, 40), (5000, 0), (5000, 12)])
def test_the_tightest_limits_fit_whatever_there_is(piece: str, times: int, items: int) -> None:
    bounded = bound(huge(piece, times, items))

    assert len(encode(bounded)) <= size(bounded) <= FAILURE_BYTES


@pytest.mark.slow
@given(strategies.failures(strategies.long_texts(), size=4))
@settings(suppress_health_check=list(HealthCheck))
def test_no_failure_is_larger_and_no_field_longer_than_its_limit(failure: Failure) -> None:
    bounded = bound(failure)

    assert len(encode(bounded)) <= FAILURE_BYTES
    assert len(bounded.termination_message.encode()) <= WIDEST.main_message
    assert len(bounded.pod_error.encode()) <= WIDEST.pod_error
    assert len(bounded.culprit_container.encode()) <= WIDEST.word
    assert all(len(tail.text.encode()) <= WIDEST.log_tail for tail in bounded.log_tails)
    assert all(len(container.state.message.encode()) <= WIDEST.message for container in bounded.pod.containers)


@pytest.mark.slow
@given(strategies.failures(strategies.long_texts(), size=2))
@settings(suppress_health_check=list(HealthCheck))
def test_bounding_twice_is_the_same_as_once(failure: Failure) -> None:
    once = bound(failure)

    assert bound(once) == once


@given(strategies.failures())
def test_what_fits_stays_as_it_is(failure: Failure) -> None:
    assume(len(set(failure.truncated)) == len(failure.truncated))

    assert bound(failure) == failure


@given(strategies.failures())
def test_the_size_is_never_underestimated(failure: Failure) -> None:
    assert len(encode(failure)) <= size(failure)


@pytest.mark.slow
@given(strategies.evidence(strategies.long_texts(), size=8))
@settings(suppress_health_check=list(HealthCheck))
def test_the_quick_look_says_yes_only_where_bounding_changes_nothing(evidence: Evidence) -> None:
    failure = Failure(
        occurrence=Occurrence.POD_FAILED,
        classification=Classification(category="none"),
        user_code=UserCode(),
        pod=evidence.pod,
        pod_error=evidence.pod_error,
        node=evidence.node,
        events=evidence.events[: WIDEST.events],
        log_tails=evidence.log_tails,
        sanitized=evidence.sanitized,
        missing=evidence.missing,
    )

    if surely_fits(failure, collect(evidence)):
        assert bound(failure) == failure
        assert len(encode(failure)) <= FAILURE_BYTES


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("pod.containers", WIDEST.containers),
        ("pod.conditions", WIDEST.conditions),
        ("node.conditions", WIDEST.conditions),
        ("node.taints", WIDEST.taints),
        ("node.log_lines", WIDEST.log_lines),
        ("log_tails", WIDEST.log_tails),
        ("missing", WIDEST.names),
        ("sanitized", WIDEST.marks),
        ("classification.matches", WIDEST.matches),
        ("classification.hypotheses", WIDEST.hypotheses),
        ("classification.categories", WIDEST.names),
        ("classification.timed_out", WIDEST.names),
    ],
)
def test_the_quick_look_sees_a_list_that_is_too_long_however_few_texts_there_are(path: str, limit: int) -> None:
    none, many = huge("x", 1, 0), huge("x", 1, limit + 1)
    owner, _, name = path.rpartition(".")
    changed = {name: getattr(getattr(many, owner) if owner else many, name)}
    failure = replace(none, **({owner: replace(getattr(none, owner), **changed)} if owner else changed))
    evidence = Evidence(
        pod=failure.pod,
        pod_error=failure.pod_error,
        node=failure.node,
        log_tails=failure.log_tails,
        sanitized=failure.sanitized,
        missing=failure.missing,
    )

    assert not surely_fits(failure, texts_of(evidence, failure.classification))
    assert surely_fits(none, texts_of(replace(evidence, pod=none.pod, node=none.node), none.classification))


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(TEXTS, st.integers(len(CUT), 80))
def test_a_cut_text_is_valid_within_its_limit_and_says_so(text: str, limit: int) -> None:
    short, end = cut(text, limit), cut_start(text, limit)

    assert len(short.encode()) <= limit
    assert len(end.encode()) <= limit
    if len(text.encode()) <= limit:
        assert short == end == text
    else:
        assert short.endswith(CUT)
        assert text.startswith(short.removesuffix(CUT))
        assert end.startswith(CUT)
        assert text.endswith(end.removeprefix(CUT))


def test_what_was_cut_is_named() -> None:
    failure = huge("x", 1, 1)
    long = replace(
        failure,
        truncated=(),
        pod_error="y" * 9000,
        stack_trace=StackTrace(tail="a" * 5000 + "end", key_line="", line_count=99),
        events=(Event(message="z" * 5000),) * 12,
    )
    bounded = bound(long)

    assert "pod_error" in bounded.truncated
    assert "stack_trace.tail" in bounded.truncated
    assert "events: 2 of 12 left out" in bounded.truncated
    assert "events[0].message" in bounded.truncated
    assert bounded.stack_trace is not None
    assert bounded.stack_trace.tail.endswith("end")
    assert bounded.pod_error.endswith(CUT)


def test_many_marks_are_counted_in_the_last() -> None:
    assert marks(("a", "b", "a")) == ("a", "b")
    assert marks(tuple("abcdef"), 3) == ("a", "b", "and 4 more")


def test_limits_only_get_tighter() -> None:
    names = Limits.__dataclass_fields__

    for wide, tight in pairwise(LADDER):
        assert all(getattr(tight, name) <= getattr(wide, name) for name in names)
