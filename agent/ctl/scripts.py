"""Failure scripts and workloads of the simulator, as linted documents."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from agent.documents.checked import Checked, with_faults
from agent.documents.node import List, Node, PathStep, Scalar, find, items, plain, read_path, write_path
from agent.documents.source import Fault, Source
from agent.manifests.lint import KnownKind
from agent.simulator.plan import Plan
from agent.simulator.script import Script

_FIELD: Final = "scripts"
_AT: Final = " - at `$"


def is_simulators(root: Node) -> bool:
    """Return whether a document looks like scripts, or a workload that names files of them."""
    return isinstance(find(root, (_FIELD,)), List)


def check_simulators(root: Node, source: Source) -> Checked[tuple[Any, ...]]:
    """Check each script, or the workload."""
    listed = list(items(find(root, (_FIELD,))))
    if not listed or any(isinstance(script, Scalar) for _, script in listed):
        faults = list(_faults(root, Plan, at=()))
    else:
        faults = [fault for number, script in listed for fault in _faults(script, Script, at=(_FIELD, number))]
        faults += _others(root)
    return with_faults(faults, source) if faults else Checked(value=(), problems=())


KINDS: Final = (KnownKind(name="the simulator's scripts and workloads", is_one=is_simulators, check=check_simulators),)


def _others(root: Node) -> Iterator[Fault]:
    for entry in () if isinstance(root, Scalar | List) else root.entries:
        if entry.key != _FIELD:
            message = f"unknown field `{entry.key}`"
            yield Fault(code="unknown-field", span=entry.span, path=entry.key, message=message)


def _faults(node: Node, model: type[Any], *, at: tuple[PathStep, ...]) -> Iterator[Fault]:
    """Yield the first problem, at the deepest node of its path that exists."""
    try:
        msgspec.convert(plain(node), model)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(_AT)
        steps, beyond = read_path(node, place.removesuffix("`"))
        at_fault = find(node, steps) or node
        yield Fault(code="invalid-script", span=at_fault.span, path=write_path((*at, *steps)) + beyond, message=message)
