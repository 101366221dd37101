"""The kinds of files that people give to each other's options: what each is called, how it is known, what takes it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from agent.console.exits import UsageError
from agent.console.terminal import visible
from agent.documents.compose import read
from agent.documents.node import Node, find, text_at
from agent.manifests.categories.load import is_categories
from agent.manifests.observed import is_observed
from agent.manifests.retry.scenario import is_scenario
from agent.manifests.submission.load import is_pod
from agent.settings.document import is_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKind:
    """``name``: what the file holds. ``option``: what takes it."""

    name: str
    option: str
    is_one: Callable[[Node], bool]


def _is_policy(root: Node) -> bool:
    return text_at(find(root, ("kind",))) == "RetryPolicy"


def _is_pods(root: Node) -> bool:
    return is_pod(root) or is_observed(root)


RULES: Final = FileKind(name="rules", option="--rules", is_one=is_categories)
POLICIES: Final = FileKind(name="retry policies", option="--policies", is_one=_is_policy)
PODS: Final = FileKind(name="pods", option="-f of `failctl classify`", is_one=_is_pods)
_KINDS: Final = (
    RULES,
    POLICIES,
    PODS,
    FileKind(name="scenarios", option="-f of `failctl decide` or `failctl policy test`", is_one=is_scenario),
    FileKind(name="settings", option="--settings of a command that has it", is_one=is_settings),
)
"""The first that fits counts: settings are known by any key that they have."""


def mistaken(text: str | bytes, *, wanted: FileKind) -> str:
    """What a text is that cannot be used, and what takes it; empty if it is of no known kind, or of the wanted one."""
    roots = read(text, file="").roots
    if not roots or wanted.is_one(roots[0]):
        return ""
    other = next((kind for kind in _KINDS if kind.is_one(roots[0])), None)
    return "" if other is None else f"these are {other.name}, not {wanted.name}; give them with {other.option}"


def refuse_other(text: str | bytes, name: str, *, wanted: FileKind) -> None:
    """Raise UsageError if a text that cannot be used is of a known kind, and of another than the one that is wanted."""
    if said := mistaken(text, wanted=wanted):
        raise UsageError(f"{visible(name)}: {said}")
