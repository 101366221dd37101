"""The fields of a pod's spec: unknown ones and wrong types are errors, because no API server has seen it yet."""

from collections.abc import Callable, Iterator
from collections.abc import Mapping as Types
from typing import Final

from agent.documents.node import List, Mapping, Node, PathStep, Scalar, items, kind, write_path
from agent.documents.problem import nearest_or_all, quote
from agent.documents.source import Fault
from agent.manifests.submission.pod_fields import ROOT, pod_types

Steps = tuple[PathStep, ...]

_SCALARS: Final[Types[str, tuple[str, Callable[[object], bool]]]] = {
    "str": ("text", lambda value: isinstance(value, str)),
    "int": ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "quantity": (
        "a quantity",
        lambda value: isinstance(value, str | int | float) and not isinstance(value, bool),
    ),
}


def pod_spec_faults(spec: Node, *, at: Steps) -> Iterator[Fault]:
    """Yield every field that a pod's spec does not have, and every value of a wrong type; ``at``: the path of it."""
    yield from _check(spec, ROOT, at)


def _check(node: Node, of: str, at: Steps) -> Iterator[Fault]:
    if of == "object" or (isinstance(node, Scalar) and node.value is None):
        return
    if of.startswith("["):
        yield from _check_list(node, of[1:-1], at)
    elif of in _SCALARS:
        yield from _check_scalar(node, of, at)
    elif not isinstance(node, Mapping):
        yield _wrong(node, "a mapping", at)
    elif of.startswith("{"):
        for entry in node.entries:
            yield from _check(entry.value, of[1:-1], (*at, entry.key))
    else:
        yield from _check_fields(node, pod_types()[of], at)


def _check_list(node: Node, of: str, at: Steps) -> Iterator[Fault]:
    if not isinstance(node, List):
        yield _wrong(node, "a list", at)
    for number, item in items(node):
        if isinstance(item, Scalar) and item.value is None:
            yield _wrong(item, "an item", (*at, number), hint="leave it out")
        yield from _check(item, of, (*at, number))


def _check_scalar(node: Node, of: str, at: Steps) -> Iterator[Fault]:
    wanted, fits = _SCALARS[of]
    if not isinstance(node, Scalar):
        yield _wrong(node, wanted, at)
    elif not fits(node.value):
        hint = f'if it is text, quote it: "{node.text}"' if of == "str" else ""
        yield _wrong(node, wanted, at, hint=hint)


def _check_fields(node: Mapping, fields: Types[str, str], at: Steps) -> Iterator[Fault]:
    for entry in node.entries:
        path = (*at, entry.key)
        if entry.key in fields:
            yield from _check(entry.value, fields[entry.key], path)
            continue
        message, hint = f"unknown field {quote(entry.key)}", nearest_or_all(entry.key, sorted(fields))
        yield Fault(code="unknown-field", span=entry.span, path=write_path(path), message=message, hint=hint)


def _wrong(node: Node, wanted: str, at: Steps, *, hint: str = "") -> Fault:
    message = f"expected {wanted}, found {kind(node)}"
    return Fault(code="wrong-type", span=node.span, path=write_path(at), message=message, hint=hint)
