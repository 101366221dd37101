"""Hypothesis strategies: rule sets and evidence that meet often."""

from hypothesis import strategies as st

from agent.core.classify.conditions import CONDITIONS
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.log_tail import LogTail
from agent.core.classify.matchers.namespaces import Namespaces
from agent.core.classify.matchers.node_conditions import NodeCondition, NodeConditions
from agent.core.classify.matchers.node_log import NodeLog
from agent.core.classify.matchers.output import Output
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.registry import AllOf
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Engine, Pattern
from agent.core.classify.rules import Category, Rule, RuleSet
from agent.core.evidence import (
    Condition,
    Container,
    ContainerKind,
    ContainerState,
    Event,
    Evidence,
    Node,
    Pod,
    StateKind,
)
from agent.core.evidence import LogTail as Tail
from agent.core.failure import Advice, Origin

NAMES = ("main", "proxy", "init")
WORDS = ("CUDA", "error", "é", "Xid 79", "\n", " ", "killed", "7", "٣", "OOMKilled")
PATTERNS = (
    ".*",
    "",
    "CUDA",
    "CUDA.*error",
    "(?i)cuda",
    "^error$",
    "(?m)^error$",
    r"Xid \d+",
    r"\bkilled\b",
    r"\w",
    r"\d$",
    "é",
    ".",
    "(?s)CUDA.*killed",
    r"\pN",
    "[[:digit:]]",
    "a{3}|7",
)
BACKTRACKED = ("(?<=CUDA )error", r"(.)\1", "(?!x)7", r"killed(?!\n)")
POD_REASONS = ("", "Evicted", "DeadlineExceeded", "OutOfcpu", "OutOf", "OutOfnvidia.com/gpu", "Shutdown", "Preempting")
END_REASONS = ("", "OOMKilled", "Error", "StartError", "ContainerStatusUnknown", "Unknown")
WAIT_REASONS = ("", "ErrImagePull", "CrashLoopBackOff", "ContainerCreating")
POD_CONDITIONS = ("DisruptionTarget", "TerminationTarget", "PodScheduled")
CONDITION_REASONS = ("", "PreemptionByScheduler", "DeletionByPodGC", "Unschedulable", "Odd")
NODE_CONDITIONS = ("Ready", "MemoryPressure")
STATUSES = ("True", "False", "Unknown")
NAMESPACES = ("ml", "ci", "")
EVENT_TYPES = ("Normal", "Warning")
EVENT_REASONS = ("", "Preempted", "Failed")
CONDITION_NAMES = (
    *CONDITIONS,
    "OutOfnvidia.com/gpu",
    "DisruptionTarget/Odd",
    "TerminationTarget/PreemptionByScheduler",
)

codes = st.sampled_from((0, 1, 2, 74, 127, 128, 129, 137, 139, 192, 193, 255, 256, -1, 3221225477))
texts = st.lists(st.sampled_from(WORDS), max_size=5).map("".join)
patterns = st.one_of(
    st.sampled_from(PATTERNS).map(lambda text: Pattern(text=text)),
    st.sampled_from(BACKTRACKED).map(lambda text: Pattern(text=text, engine=Engine.BACKTRACKING)),
)

single_matchers = st.one_of(
    st.builds(ExitCodes, operator=st.sampled_from(Operator), values=st.frozensets(codes, min_size=1, max_size=3)),
    st.builds(Signals, values=st.frozensets(st.sampled_from((1, 9, 11, 15, 64)), min_size=1, max_size=2)),
    st.builds(TerminationMessage, pattern=patterns),
    st.builds(Conditions, names=st.lists(st.sampled_from(CONDITION_NAMES), min_size=1, max_size=3).map(tuple)),
    st.builds(
        Namespaces,
        operator=st.sampled_from(Operator),
        values=st.frozensets(st.sampled_from(NAMESPACES), min_size=1, max_size=2),
    ),
    st.builds(PodError, pattern=patterns),
    st.builds(
        PodEvents,
        type=st.sampled_from(EVENT_TYPES),
        pattern=patterns,
        reason=st.sampled_from((None, *EVENT_REASONS[1:])),
    ),
    st.builds(
        NodeConditions,
        any_of=st.lists(
            st.builds(
                NodeCondition,
                type=st.sampled_from(NODE_CONDITIONS),
                status=st.sampled_from(STATUSES),
                reason=st.sampled_from((None, "Odd")),
                pattern=st.sampled_from((None, None, "Odd", "^$", "x")),
            ),
            min_size=1,
            max_size=2,
        ).map(tuple),
    ),
    st.builds(NodeLog, pattern=patterns),
    st.builds(LogTail, pattern=patterns),
    st.builds(Output, pattern=patterns),
)
matchers = st.one_of(
    single_matchers,
    st.builds(AllOf, matchers=st.lists(single_matchers, max_size=3).map(tuple)),
)
rules = st.builds(
    Rule,
    matcher=matchers,
    container=st.sampled_from((None, None, *NAMES)),
    subcategory=st.sampled_from(("", "a", "b")),
    hint=st.sampled_from(("", "look there")),
    origin=st.sampled_from((None, *Origin)),
    advice=st.sampled_from((None, *Advice)),
)


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet:
    """Some categories of a few rules each."""
    rules_of_categories = draw(st.lists(st.lists(rules, min_size=1, max_size=4).map(tuple), max_size=5))
    return RuleSet(
        categories=tuple(
            Category(
                name=f"category {number}",
                rules=of,
                origin=draw(st.sampled_from((None, *Origin))),
                advice=draw(st.sampled_from((None, *Advice))),
            )
            for number, of in enumerate(rules_of_categories)
        ),
        default_category="other",
        default_subcategory="unclassified",
        revision="r1",
    )


ends = st.builds(
    ContainerState,
    kind=st.just(StateKind.TERMINATED),
    reason=st.sampled_from(END_REASONS),
    message=texts,
    exit_code=st.one_of(st.none(), codes),
    signal=st.sampled_from((None, None, 0, 9, 15)),
)
waits = st.builds(ContainerState, kind=st.just(StateKind.WAITING), reason=st.sampled_from(WAIT_REASONS))


@st.composite
def containers(draw: st.DrawFn, name: str) -> Container:
    """A container that ended, waits, or waits to be started again."""
    ended = draw(st.one_of(st.none(), ends))
    waiting = draw(waits)
    state = waiting if ended is None else draw(st.sampled_from((ended, waiting)))
    return Container(name=name, kind=draw(st.sampled_from(ContainerKind)), state=state, ended=ended)


events = st.builds(Event, type=st.sampled_from(EVENT_TYPES), reason=st.sampled_from(EVENT_REASONS), message=texts)
nodes = st.builds(
    Node,
    conditions=st.lists(
        st.builds(
            Condition,
            type=st.sampled_from(NODE_CONDITIONS),
            status=st.sampled_from(STATUSES),
            reason=st.sampled_from(("", "Odd")),
        ),
        max_size=2,
    ).map(tuple),
    log_lines=st.lists(texts, max_size=3).map(tuple),
)


def _joined(pod: Pod) -> str:
    """An error that quotes the containers' messages."""
    ends = [(container.name, container.ended.message) for container in pod.containers if container.ended is not None]
    return "".join(f"Container {name} failed: {message}\n" for name, message in ends)


@st.composite
def evidences(draw: st.DrawFn) -> Evidence:
    """What might be known of a pod, its events, its node and its logs."""
    named = draw(st.lists(st.sampled_from(NAMES), unique=True))
    pod = Pod(
        phase=draw(st.sampled_from(("Failed", "Running", "Pending"))),
        reason=draw(st.sampled_from(POD_REASONS)),
        message=draw(st.sampled_from(("", "said by the kubelet"))),
        conditions=draw(
            st.lists(
                st.builds(
                    Condition,
                    type=st.sampled_from(POD_CONDITIONS),
                    status=st.sampled_from(STATUSES),
                    reason=st.sampled_from(CONDITION_REASONS),
                ),
                max_size=2,
            ).map(tuple)
        ),
        containers=tuple(draw(containers(name)) for name in named),
    )
    return Evidence(
        pod=pod,
        namespace=draw(st.sampled_from(NAMESPACES)),
        pod_error=draw(st.one_of(texts, st.just(_joined(pod)))),
        events=draw(st.lists(events, max_size=3).map(tuple)),
        node=draw(st.one_of(st.none(), nodes)),
        log_tails=draw(st.lists(st.builds(Tail, container=st.sampled_from(NAMES), text=texts), max_size=2).map(tuple)),
    )
