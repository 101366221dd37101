"""Weakness: rules that rest only on an exit code or a bare reason, so that other evidence may reveal the cause.

Nearly every failure has an exit code, so a rule on exit codes matches at once. More specific evidence (an event, the
node's log) may arrive a moment later. Only a weak match is a reason to wait for it (docs/occurrences.md, When late
evidence is waited for). Under ``order: evidence`` ``grade`` says which matches are weak, by what they were seen in.
"""

from typing import Final, assert_never

from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes
from agent.core.classify.matchers.namespaces import Namespaces
from agent.core.classify.matchers.node_conditions import NodeConditions
from agent.core.classify.matchers.registry import AllOf
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.matchers.text import TextMatcher
from agent.core.classify.rules import Matcher

BARE: Final = frozenset(
    {
        "BeingDeleted",
        "ContainerCannotRun",
        "ContainerCreating",
        "ContainerStatusUnknown",
        "CrashLoopBackOff",
        "CreateContainerConfigError",
        "CreateContainerError",
        "DisruptionTarget",
        "EndedSilently",
        "ErrImagePull",
        "Error",
        "Evicted",
        "ImagePullBackOff",
        "InitContainerFailed",
        "MainSucceeded",
        "PodInitializing",
        "PostStartHookError",
        "PreCreateHookError",
        "PreStartHookError",
        "RunContainerError",
        "StartError",
        "Starting",
        "StateLost",
        "Unknown",
        "Unschedulable",
        "WithinMemoryLimit",
    }
)
"""Named conditions that say what happened but not why."""


def is_weak(matcher: Matcher) -> bool:
    """Whether the matcher looks only at exit codes, signals, bare reasons and the namespace."""
    match matcher:
        case ExitCodes() | Signals() | Namespaces():
            return True
        case Conditions(names=names):
            return BARE.issuperset(names)
        case AllOf(matchers=matchers):
            return all(map(is_weak, matchers))
        case TextMatcher() | NodeConditions():
            return False
        case _:
            assert_never(matcher)
