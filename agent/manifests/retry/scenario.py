"""Scenario files, compiled to the scenarios that ``agent.core.decision`` plays."""

from datetime import UTC, datetime, timedelta

from agent.core.classify.followers import followers
from agent.core.decision.scenario import Expected, Scenario, ScenarioStep
from agent.core.evidence import Condition, Container, ContainerMemory, ContainerState, Node, Pod, StateKind
from agent.core.exit_status import as_int32
from agent.core.failure import NO_CATEGORY, Classification, Failure, UserCode
from agent.core.heartbeat import NodeShape
from agent.core.limit import VerdictAction
from agent.core.retry.policy import PROPOSED_BACKOFF, RetrySettings, merge_backoff
from agent.core.run import RunFacts
from agent.documents.checked import Checked, empty_document, with_faults
from agent.documents.compose import read
from agent.documents.node import Node as Tree
from agent.documents.node import find, text_at
from agent.documents.problem import ManifestError
from agent.documents.shape import check
from agent.documents.source import Fault, Source
from agent.manifests.matchers.facts import NodeConditionShape
from agent.manifests.retry.compile import compile_backoff
from agent.manifests.retry.scenario_shapes import (
    ContainerShape,
    ExpectShape,
    FailureShape,
    NodesShape,
    ScenarioShape,
    SettingsShape,
    StepShape,
)

STARTS_AT = datetime(2026, 1, 1, tzinfo=UTC)
"""When every scenario begins; only differences of times matter."""


def load_scenarios(text: str | bytes, *, file: str) -> tuple[Scenario, ...]:
    """Return the scenarios of a file, one a document. Raises ``ManifestError`` with every fault at once."""
    documents = read(text, file=file)
    checked = [check_scenario(root, documents.source) for root in documents.roots]
    problems = (*documents.problems, *(problem for scenario in checked for problem in scenario.problems))
    if problems:
        raise ManifestError(problems)
    if not checked:
        raise ManifestError((documents.source.problem(empty_document()),))
    return tuple(scenario.value_or_raise() for scenario in checked)


def is_scenario(root: Tree) -> bool:
    """Return whether a document looks like a scenario: it has failures."""
    return find(root, ("failures",)) is not None


def check_scenario(root: Tree, source: Source) -> Checked[Scenario]:
    if not is_scenario(root) and (other := _other_kind(root)) is not None:
        return with_faults([other], source)
    shape = check(ScenarioShape, root)
    if shape.value is None:
        return with_faults(shape.faults, source)
    return Checked(value=_scenario(shape.value), problems=())


def _other_kind(root: Tree) -> Fault | None:
    """The one fault of an object, or of a pod with its events, in place of a fault for each of its fields."""
    kind, pod = find(root, ("kind",)), find(root, ("pod",))
    at = pod if kind is None else kind
    if at is None:
        return None
    what = "a pod" if kind is None else f"a {text_at(kind)}"
    message = f"this is {what}, and no scenario, which has `name` and `failures`"
    hint = "for the verdict on a pod: failctl classify -f FILE --policies POLICIES"
    return Fault(code="wrong-kind", span=at.span, path="" if kind is None else "kind", message=message, hint=hint)


def _scenario(shape: ScenarioShape) -> Scenario:
    return Scenario(
        name=shape.name,
        steps=tuple(_step(step, lineage=f"the job of {shape.name}") for step in shape.failures),
        queue=None if shape.policies is None else tuple(shape.policies),
        annotation=None if shape.annotation is None else tuple(shape.annotation),
        settings=_settings(shape.settings or SettingsShape()),
        shapes=None if shape.nodes is None else tuple(_nodes(node) for node in shape.nodes),
        starts_at=STARTS_AT,
    )


def _settings(shape: SettingsShape) -> RetrySettings:
    return RetrySettings(
        enabled=shape.enabled,
        global_max_retries=shape.globalMaxRetries,
        default_policy_name=shape.defaultPolicyName,
        default_backoff=merge_backoff(compile_backoff(shape.defaultBackoff), PROPOSED_BACKOFF),
        max_attempted_runs=shape.maxAttemptedRuns,
        gang_settle=RetrySettings().gang_settle if shape.gangSettle is None else shape.gangSettle,
    )


def _nodes(shape: NodesShape) -> NodeShape:
    allocatable = tuple(sorted(shape.allocatable.items()))
    return NodeShape(allocatable=allocatable, ready=shape.ready, total=shape.ready)


def _step(shape: StepShape, *, lineage: str) -> ScenarioStep:
    failed: list[FailureShape] = list(shape.gang) if shape.gang else [shape]
    return ScenarioStep(
        failures=tuple(failure_of(run) for run in failed),
        runs=tuple(_run(run, lineage=lineage, size=len(failed)) for run in failed),
        expected=_expected(shape.expect or ExpectShape()),
        times=shape.times,
        after=shape.after or timedelta(0),
        draw=shape.draw,
    )


def _expected(shape: ExpectShape) -> Expected:
    return Expected(
        action=_action(shape.verdict),
        reason=shape.reason,
        policy=shape.policy,
        rule=shape.rule,
        delay=shape.delay,
        avoid=None if shape.avoidNodes is None else tuple(shape.avoidNodes),
        memory=shape.memory,
        shadow=_action(shape.shadow),
    )


def _action(word: str | None) -> VerdictAction | None:
    return None if word is None else VerdictAction(word.lower())


def _run(shape: FailureShape, *, lineage: str, size: int) -> RunFacts:
    return RunFacts(
        lineage=lineage,
        node=shape.node,
        returned=shape.returned,
        fail_fast=shape.failFast,
        grace_period=shape.gracePeriod or timedelta(0),
        lasted=shape.lasted,
        gang_size=size,
        memory=tuple(
            ContainerMemory(
                name=container.name,
                kind=container.kind,
                request=container.memory,
                limit=container.memoryLimit or container.memory,
            )
            for container in shape.containers or ()
            if container.memory is not None
        ),
        requests=tuple(sorted((shape.requests or {}).items())),
    )


def failure_of(shape: FailureShape) -> Failure:
    """Return the failure that a file describes, with what a verdict needs."""
    listed = tuple(shape.categories or ((shape.category,) if shape.category else ()))
    category = shape.category or (listed[0] if listed else NO_CATEGORY)
    containers = tuple(_container(container) for container in shape.containers or ())
    deciding = [container for container in containers if container.name not in followers(containers)]
    node = Node(name=shape.node, conditions=_conditions(shape.nodeConditions)) if shape.nodeConditions else None
    return Failure(
        occurrence=shape.occurrence,
        classification=Classification(
            category=category,
            subcategory=shape.subcategory,
            origin=shape.origin,
            corroborated=shape.corroborated,
            grade=shape.grade,
            matched=bool(listed),
            categories=listed,
        ),
        culprit_container=next(
            (container.name for container in deciding if container.ended and container.ended.exit_code), ""
        ),
        user_code=UserCode(),
        pod=Pod(
            phase="Failed",
            reason=shape.reason,
            conditions=_conditions(shape.conditions),
            containers=containers,
        ),
        node=node,
    )


def _conditions(shapes: list[NodeConditionShape] | None) -> tuple[Condition, ...]:
    return tuple(
        Condition(type=condition.type, status=condition.status, reason=condition.reason or "")
        for condition in shapes or ()
    )


def _container(shape: ContainerShape) -> Container:
    ended = shape.exitCode is not None
    kind = StateKind.TERMINATED if ended else StateKind.WAITING if shape.waiting else StateKind.RUNNING
    state = ContainerState(
        kind=kind,
        reason=shape.reason or shape.waiting,
        message=shape.message,
        exit_code=None if shape.exitCode is None else as_int32(shape.exitCode),
        signal=shape.signal,
        finished_at=None if shape.finishedAfter is None else STARTS_AT + shape.finishedAfter,
    )
    return Container(name=shape.name, kind=shape.kind, state=state, ended=state if ended else None)
