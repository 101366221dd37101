"""Scenarios: a series of failures, decided one after the other, with the expected verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.core.decision.decide import decide, decide_gang
from agent.core.decision.verdict import Verdict
from agent.core.failure import Failure
from agent.core.heartbeat import NodeShape
from agent.core.history import History
from agent.core.limit import Reason, VerdictAction
from agent.core.retry.compiled import CompiledPolicy
from agent.core.retry.effective import InEffect, resolve_policies
from agent.core.retry.gang import Member, choose_member
from agent.core.retry.policy import RetrySettings
from agent.core.run import RunFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The expected verdict; a ``None`` field is not compared. ``rule`` is a rule's name or its key."""

    action: VerdictAction | None = None
    reason: Reason | None = None
    policy: str | None = None
    rule: str | None = None
    delay: timedelta | None = None
    avoid: tuple[str, ...] | None = None
    memory: Mapping[str, int] | None = None
    shadow: VerdictAction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioStep:
    """One failure, or several of one generation of a gang, repeated a number of times.

    ``after`` is the time since the previous step; ``draw`` the random number for jitter.
    """

    failures: tuple[Failure, ...]
    runs: tuple[RunFacts, ...]
    expected: Expected = Expected()
    times: int = 1
    after: timedelta = timedelta(0)
    draw: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A series of failures of one job, the policies that its queue and annotation name, and the settings.

    ``queue`` and ``annotation`` are ``None`` if not given; an empty one means no policies.
    """

    name: str
    steps: tuple[ScenarioStep, ...]
    queue: tuple[str, ...] | None = None
    annotation: tuple[str, ...] | None = None
    settings: RetrySettings
    shapes: tuple[NodeShape, ...] | None = None
    starts_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One verdict of a scenario: the step, its round, the verdict, and the differences.

    ``failure`` is what was judged, for a gang that of the chosen member; ``policies`` are those in effect.
    """

    step: int
    round: int
    failure: Failure
    policies: InEffect
    verdict: Verdict
    differs: tuple[str, ...]


def policies_of(scenario: Scenario, known: Mapping[str, CompiledPolicy]) -> InEffect:
    """The policies that decide a scenario: those it names; if it names none, all of them, as those of the queue."""
    default = scenario.settings.default_policy_name
    unsaid = scenario.queue is None and scenario.annotation is None and default is None
    queue = tuple(known) if unsaid else scenario.queue or ()
    return resolve_policies(known, queue=queue, annotation=scenario.annotation or (), default=default)


def play(scenario: Scenario, known: Mapping[str, CompiledPolicy]) -> Iterator[Played]:
    """Yield a verdict for every failure of a scenario; each counts the earlier ones."""
    policies = policies_of(scenario, known)
    history, now = History(), scenario.starts_at
    for number, step in enumerate(scenario.steps):
        for turn in range(step.times):
            now += step.after
            failure, verdict = _verdict(step, scenario, policies=policies, history=history, now=now)
            history = history.followed_by(verdict.granted_under, past=verdict.past)
            yield Played(
                step=number,
                round=turn,
                failure=failure,
                policies=policies,
                verdict=verdict,
                differs=tuple(differences(step.expected, verdict)),
            )


def _verdict(
    step: ScenarioStep, scenario: Scenario, *, policies: InEffect, history: History, now: datetime
) -> tuple[Failure, Verdict]:
    settings, shapes = scenario.settings, scenario.shapes
    if len(step.failures) == 1:
        (failure,), (run,) = step.failures, step.runs
        return failure, decide(
            failure,
            run=run,
            history=history,
            policies=policies,
            settings=settings,
            now=now,
            draw=step.draw,
            shapes=shapes,
        )
    members = [_member(number, failure, now) for number, failure in enumerate(step.failures)]
    chosen = choose_member(members, settle=settings.gang_settle).member
    member, verdict = decide_gang(
        members,
        run=step.runs[members.index(chosen)],
        history=history,
        policies=policies,
        settings=settings,
        now=now,
        draw=step.draw,
        shapes=shapes,
    )
    return member.failure, verdict


def _member(number: int, failure: Failure, now: datetime) -> Member:
    return Member(run_id=f"member {number + 1}", failure=failure, occurred_at=now, observed_at=now)


def differences(expected: Expected, verdict: Verdict) -> Iterator[str]:
    """Describe each difference from what is expected."""
    explained = verdict.explanation
    yield from _differs("verdict", expected.action, verdict.action)
    yield from _differs("reason", expected.reason, verdict.reason)
    yield from _differs("policy", expected.policy, verdict.policy)
    if expected.rule is not None and expected.rule not in _names(verdict):
        yield f"rule: expected {expected.rule}, got {verdict.rule_key}"
    yield from _differs("delay", expected.delay, verdict.delay)
    yield from _differs("avoidNodes", expected.avoid, verdict.avoid_nodes)
    grown = (
        {}
        if verdict.mutation is None
        else {container.name: container.request or container.limit for container in verdict.mutation.after}
    )
    yield from _differs("memory", expected.memory, grown)
    yield from _differs("shadow", expected.shadow, None if explained.shadow is None else explained.shadow.action)


def _names(verdict: Verdict) -> Sequence[str]:
    key = verdict.rule_key or ""
    return (key, key.partition("/")[2])


def _differs(what: str, expected: object, got: object) -> Iterator[str]:
    if expected is not None and expected != got:
        yield f"{what}: expected {expected}, got {got}"
