from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agent.core.classify.classifier import compile_rules
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.rules import Category, Rule, RuleSet
from agent.core.evidence import (
    Container,
    ContainerKind,
    ContainerState,
    Event,
    Evidence,
    LogTail,
    Pod,
    StateKind,
)
from agent.core.failure import (
    Advice,
    CheckAction,
    CheckCause,
    CheckFinding,
    Classification,
    Failure,
    Hypothesis,
    Match,
    Occurrence,
    Origin,
    Trust,
)
from agent.core.summary.bounds import FAILURE_BYTES
from agent.core.summary.internal import STUCK_TERMINATING
from agent.core.summary.overruling import overrule
from agent.core.summary.redaction import REDACTED, Redactor
from agent.core.summary.submission import UNKNOWN, Submission
from agent.core.summary.summary import EVENTS, summarise
from agent.core.summary.texts import TextPlace, collect, rewrite
from agent.wire.failure import encode
from tests.core import strategies

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
REDACTOR = Redactor()
UNMATCHED = Classification(category="none")


def ended(
    name: str, code: int, *, after: int = 0, kind: ContainerKind = ContainerKind.APP, message: str = ""
) -> Container:
    """A container that ended so many seconds after the others."""
    state = ContainerState(
        kind=StateKind.TERMINATED,
        reason="Error" if code else "Completed",
        message=message,
        exit_code=code,
        started_at=AT,
        finished_at=AT + timedelta(seconds=after),
    )
    return Container(name=name, kind=kind, state=state, ended=state)


def matched(container: str = "", text: str = "x") -> Classification:
    """A classification whose primary rule matched."""
    match = Match(
        category="c", rule_index=0, matcher="m", where="w", text=text, trust=Trust.SYSTEM, container=container
    )
    return Classification(category="c", matched=True, categories=("c",), matches=(match,))


def summary(
    evidence: Evidence,
    classification: Classification = UNMATCHED,
    occurrence: Occurrence = Occurrence.POD_FAILED,
    submitted: Submission = UNKNOWN,
    check: CheckFinding | None = None,
) -> Failure:
    return summarise(
        evidence, classification, occurrence=occurrence, submitted=submitted, redactor=REDACTOR, check=check
    )


def of(*containers: Container, **pod: str) -> Evidence:
    return Evidence(pod=Pod(phase="Failed", containers=containers, **pod))  # type: ignore[arg-type]  # texts only


def test_the_first_four_fields_are_of_the_first_app_container_that_failed() -> None:
    failure = summary(
        of(
            ended("fine", 0),
            ended("late", 3, after=9, message="three"),
            ended("early", 4, after=1, message="four"),
            ended("fetch", 5, after=2, kind=ContainerKind.INIT),
        )
    )

    assert (failure.exit_code, failure.termination_message, failure.container_name) == (3, "three", "late")
    assert (failure.culprit_container, failure.termination_reason) == ("early", "Error")


def test_an_init_container_counts_where_no_app_container_failed() -> None:
    failure = summary(of(ended("fine", 0), ended("fetch", 5, kind=ContainerKind.INIT)))

    assert (failure.exit_code, failure.container_name, failure.culprit_container) == (5, "fetch", "fetch")


def test_an_ephemeral_container_is_nobodys_failure() -> None:
    failure = summary(of(ended("debug", 1, kind=ContainerKind.EPHEMERAL)))

    assert failure.exit_code is None
    assert failure.culprit_container == ""


def test_the_container_that_the_primary_rule_matched_is_the_culprit() -> None:
    failure = summary(of(ended("a", 1), ended("b", 137, after=5)), matched("b"))

    assert (failure.container_name, failure.culprit_container, failure.signal) == ("a", "b", 9)


@pytest.mark.parametrize(
    ("code", "reported", "signal"),
    [(128, None, None), (129, None, 1), (143, None, 15), (192, None, 64), (193, None, None), (1, 6, 6), (139, 7, 7)],
)
def test_a_signal_is_given_or_read_from_the_code(code: int, reported: int | None, signal: int | None) -> None:
    main = ended("main", code)
    state = replace(main.state, signal=reported)

    assert summary(of(replace(main, state=state, ended=state))).signal == signal


def test_a_pod_without_containers_has_no_exit_code() -> None:
    failure = summary(of(reason="Evicted", message="low on memory"))

    assert failure.exit_code is None
    assert failure.container_name == ""
    assert failure.user_code.ran is False


@pytest.mark.parametrize(
    ("occurrence", "subcategory"),
    [
        (Occurrence.DELETED_EXTERNALLY, "externally-deleted"),
        (Occurrence.MISSING, "pod-missing"),
        (Occurrence.NEVER_STARTED, "never-started"),
        (Occurrence.DEADLINE_EXCEEDED, "active-deadline"),
        (Occurrence.STUCK_TERMINATING, "stuck-terminating"),
        (Occurrence.LEASE_EXPIRED, "lease-expired"),
    ],
)
def test_what_the_system_decides_is_internal_unless_a_rule_matched(occurrence: Occurrence, subcategory: str) -> None:
    decided = summary(Evidence(), UNMATCHED, occurrence).classification
    ruled = summary(Evidence(), matched(), occurrence).classification

    assert (decided.category, decided.subcategory, decided.matched) == ("internal", subcategory, True)
    assert decided.categories == ("internal",)
    assert decided.hint
    assert ruled.category == ("internal" if occurrence is Occurrence.STUCK_TERMINATING else "c")


def test_what_the_rules_said_of_a_pod_that_cannot_be_torn_down_is_kept() -> None:
    failure = summary(of(ended("main", 137)), matched(), Occurrence.STUCK_TERMINATING)

    assert failure.classification.categories == ("internal", "c")
    assert failure.overruled == replace(matched(), categories=())
    assert failure.exit_code == 137


@pytest.mark.parametrize(
    ("action", "cause", "advice"),
    [
        (CheckAction.FAIL, CheckCause.STARTUP, Advice.NEVER),
        (CheckAction.RETRY, CheckCause.STARTUP, Advice.ELSEWHERE),
        (CheckAction.RETRY, CheckCause.NO_NODE_ASSIGNED, Advice.SAME),
    ],
)
def test_what_a_check_found_keeps_the_rules_category_and_advises(
    action: CheckAction, cause: CheckCause, advice: Advice
) -> None:
    found = CheckFinding(check="pendingPodChecks.events[0]", action=action, cause=cause)
    failure = summary(Evidence(), UNMATCHED, Occurrence.NEVER_STARTED, check=found)
    ruled = summary(Evidence(), replace(matched(), advice=Advice.CHANGED), Occurrence.NEVER_STARTED, check=found)

    assert failure.check == found
    assert failure.classification == replace(UNMATCHED, advice=advice)
    assert ruled.classification.advice is Advice.CHANGED


def test_overruling_says_so_before_the_pods_own_words_and_only_keeps_what_rules_matched() -> None:
    failure = summary(replace(of(), pod_error="low on memory"), UNMATCHED)
    over = overrule(failure, STUCK_TERMINATING, occurrence=Occurrence.STUCK_TERMINATING, message="stuck")

    assert over.pod_error == "stuck\nlow on memory"
    assert (over.classification.categories, over.overruled) == (("internal",), None)
    assert over.pod == failure.pod


@pytest.mark.parametrize("occurrence", [Occurrence.POD_FAILED, Occurrence.CONTAINER_RESTARTED])
def test_what_the_pod_did_keeps_the_default_category(occurrence: Occurrence) -> None:
    classification = Classification(category="uncategorized", subcategory="x", origin=Origin.UNKNOWN)

    assert summary(Evidence(), classification, occurrence).classification == classification


def test_at_most_ten_events_are_kept_and_the_rest_is_counted() -> None:
    events = tuple(Event(reason=f"e{number}") for number in range(13))
    failure = summary(replace(of(), events=events))

    assert failure.events == events[:EVENTS]
    assert failure.events_left_out == 3


def test_the_stack_trace_is_of_the_message_else_of_the_culprits_log() -> None:
    trace = "\n".join(["Traceback:", *"abcdefghij", "ValueError: bad"])
    message = summary(of(ended("main", 1, message=trace)))
    log = summary(replace(of(ended("main", 1)), log_tails=(LogTail(container="main", text=trace),)))
    others = summary(replace(of(ended("main", 1)), log_tails=(LogTail(container="other", text=trace),)))

    assert message.stack_trace == log.stack_trace
    assert message.stack_trace is not None
    assert message.stack_trace.key_line == "ValueError: bad"
    assert others.stack_trace is None


def test_a_secret_is_gone_from_every_field_and_the_fields_are_named() -> None:
    secret = "password=hunter2"
    trace = "\n".join([*"abcdefghijk", f"ValueError: {secret}"])
    evidence = replace(
        of(ended("main", 1, message=trace), message=secret),
        pod_error=f"Container main failed: {trace}",
        events=(Event(message=secret),),
        log_tails=(LogTail(container="main", text=secret),),
    )
    failure = summary(evidence, matched("main", text="hunter2"))

    assert b"hunter2" not in encode(failure)
    assert failure.classification.matches[0].text == REDACTED
    assert set(failure.redacted) == {
        "pod.message",
        "pod.containers[0].state.message",
        "pod_error",
        "events[0].message",
        "log_tails[0].text",
        "classification.matches[0].text",
    }
    assert failure.stack_trace is not None
    assert failure.stack_trace.key_line == f"ValueError: password={REDACTED}"


def test_a_match_that_is_no_secret_stays_next_to_a_secret() -> None:
    evidence = replace(of(message="password=hunter2 and disk full"), pod_error="disk full")

    assert summary(evidence, matched(text="disk full")).classification.matches[0].text == "disk full"
    assert summary(evidence, matched(text="137")).classification.matches[0].text == "137"


def test_what_was_found_on_an_init_container_is_a_text_to_redact_like_any_other() -> None:
    rule = Rule(matcher=Conditions(names=("InitContainerFailed",)))
    rules = RuleSet(categories=(Category(name="c", rules=(rule,)),), default_category="none", revision="r")
    evidence = of(ended("fetch", 1, kind=ContainerKind.INIT, message="password=hunter2"))

    failure = summary(evidence, compile_rules(rules).classify(evidence))

    assert failure.classification.matches[0].text == "init"
    assert failure.redacted == ("pod.containers[0].state.message",)


SECRET = st.sampled_from(["password=hunter2", "see https://me:hunter2@x/", "token: hunter2\n", "plain text"])
"""Texts of which most hold the secret ``hunter2``."""


@pytest.mark.slow
@given(strategies.evidence(SECRET), strategies.classifications(SECRET | st.just("hunter2")))
def test_no_secret_of_any_field_is_kept(evidence: Evidence, classification: Classification) -> None:
    hidden = "container password=hunter2 "
    ruled = replace(classification, category="c", subcategory="", hint="", categories=(), timed_out=(), revision="")
    secret_is_known = "hunter2" in collect(evidence).joined
    matches = tuple(
        replace(match, category="", subcategory="", matcher="", where=hidden, container=hidden)
        for match in (*ruled.matches, *(hypothesis.match for hypothesis in ruled.hypotheses))
        if secret_is_known or match.text != "hunter2"
    )
    refused = tuple(Hypothesis(match=match, refused="") for match in matches if ruled.mechanism is not None)
    detail = tuple(found for found in ruled.detail if secret_is_known or found.value != "hunter2")
    failure = summary(evidence, replace(ruled, matches=matches, hypotheses=refused, detail=detail))

    assert b"hunter2" not in encode(failure)


@pytest.mark.slow
@given(strategies.evidence(strategies.texts() | strategies.long_texts(), size=4), strategies.classifications())
def test_no_failure_is_too_large(evidence: Evidence, classification: Classification) -> None:
    assert len(encode(summary(evidence, classification))) <= FAILURE_BYTES


@pytest.mark.slow
@given(strategies.evidence())
def test_the_quick_walk_meets_every_text_that_the_slow_one_meets(evidence: Evidence) -> None:
    met: list[str] = []

    class Meeting:
        def text(self, text: str, place: TextPlace) -> str:  # noqa: ARG002 - part of Rewriting
            met.append(text)
            return text

        def items(self, items: tuple[object, ...], place: TextPlace) -> tuple[object, ...]:  # noqa: ARG002 - part of Rewriting
            return items

    assert rewrite(evidence, Meeting()) is evidence
    own = collect(evidence)
    quick = [own] if own.of_node is None else [own, own.of_node]
    every = [text for part in quick for text in (*part.words, *part.messages, *part.long)]
    assert sorted(filter(None, met)) == sorted(filter(None, every))
    assert sorted(filter(None, own.joined.split("\n"))) == sorted(filter(None, "\n".join(every).split("\n")))
