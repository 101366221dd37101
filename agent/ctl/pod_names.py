"""Names of pods in tables: the name is whole as long as there is room, and the namespace before it is what is cut.

Several pods of one workload are shown by what their names have in common: ``team-a/train-0-*``.
"""

import re
from collections.abc import Sequence
from typing import Final

from agent.console.terminal import cells_of, fit, shorten

_SLASH: Final = "/"
_WHOLE_PARTS: Final = re.compile(r".*[-.]", re.DOTALL)
"""The parts of a name that end in a hyphen or a dot: Kubernetes adds what makes a name unique after one."""


def qualified(namespace: str, name: str) -> str:
    """``namespace/name``, or the name alone."""
    return f"{namespace}{_SLASH}{name}" if namespace else name


def least_cells(pod: str) -> int:
    """The cells that a visible name needs if its namespace is cut as far as possible."""
    namespace, slash, name = pod.rpartition(_SLASH)
    return min(cells_of(namespace), 1) + len(slash) + cells_of(name)


def fit_pod(pod: str, columns: int) -> str:
    """A visible name cut to ``columns``: first the namespace, then the middle of the name."""
    if cells_of(pod) <= columns:
        return pod
    namespace, _, name = pod.rpartition(_SLASH)
    room = columns - cells_of(name) - len(_SLASH)
    if namespace and room >= 1:
        return f"{fit(namespace, room)}{_SLASH}{name}"
    return shorten(name, columns)


def common_name(names: Sequence[str], otherwise: str) -> str:
    """The beginning that several names share, with a star; ``otherwise`` if they share none."""
    if len(set(names)) == 1:
        return names[0]
    first, last = min(names), max(names)
    differ = (at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1])
    shared = _WHOLE_PARTS.match(first[: next(differ, len(first))])
    return f"{shared.group()}*" if shared else otherwise
