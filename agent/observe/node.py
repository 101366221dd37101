"""The pod's node as evidence."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial

from msgspec.structs import replace

from agent.core.evidence import Node, Taint
from agent.core.memo import memo
from agent.kube import objects
from agent.observe.values import aware, read_conditions


def read_node(node: objects.Node | None, *, name: str, log_lines: Sequence[str] = ()) -> Node | None:
    """The node as evidence; ``None`` if nothing is known of it.

    ``name`` is the one in the pod's spec, for when there is no node object but only log lines.
    """
    if node is None:
        return Node(name=name, log_lines=tuple(log_lines)) if log_lines else None
    read = _read(node)
    return _logging(read)(tuple(log_lines)) if log_lines else read


def _read_afresh(node: objects.Node) -> Node:
    return Node(
        name=node.metadata.name or "",
        conditions=read_conditions(node.status.conditions),
        taints=_read_taints(node),
        unschedulable=bool(node.spec.unschedulable),
    )


_read = memo(_read_afresh)
"""Memoised: many pods fail on one node, and a node changes far less often."""


def _with_last_log(node: Node) -> Callable[[tuple[str, ...]], Node]:
    return lru_cache(maxsize=1)(partial(_with_log, node))


def _with_log(node: Node, log_lines: tuple[str, ...]) -> Node:
    return replace(node, log_lines=log_lines)


_logging = memo(_with_last_log)
"""Gives the same object while the log of a node is the same, because others memoise by it."""


def _read_taints(node: objects.Node) -> tuple[Taint, ...]:
    return tuple(
        Taint(key=taint.key or "", value=taint.value or "", effect=taint.effect or "", added_at=aware(taint.timeAdded))
        for taint in node.spec.taints or ()
    )
