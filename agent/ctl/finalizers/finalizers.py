"""``failctl finalizers``: which pods our finalizer holds, since when and why; and releasing some by hand."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TextIO

from agent.console.columns import Column, heading, line, widened
from agent.console.errors import report_error
from agent.console.exits import Exit, UsageError
from agent.console.listing import write_documents
from agent.console.options import ListForm
from agent.console.paragraphs import paragraph
from agent.console.terminal import shorten, visible, width
from agent.core.units import in_words
from agent.ctl.cluster_connection import with_connection
from agent.ctl.destination import ApiServerAddress
from agent.kube.connection import Connection
from agent.kube.errors import ApiError, Forbidden
from agent.kube.finalizer import FINALIZER
from agent.kube.held_pods import HeldPod, held_pods
from agent.kube.pods import PodWriter

_ENDED = {"Failed", "Succeeded"}
_COLUMNS = (Column(heading="POD"), Column(heading="HELD FOR"), Column(heading="PHASE"), Column(heading="WHY"))
_GAP = 2
_INDENT = 4
"""Indentation of the reason if it is on lines of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """Held pods of one namespace, or of all (``""``)."""

    where: ApiServerAddress = field(default_factory=ApiServerAddress)
    namespace: str = ""
    output: ListForm = "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRequest:
    """Which held pods to release: ``NAMESPACE/POD``, or ``NAMESPACE`` for all of one. Without ``yes`` only say so."""

    targets: Sequence[str]
    where: ApiServerAddress = field(default_factory=ApiServerAddress)
    yes: bool = False


def list_held(request: ListRequest, *, clock: Callable[[], datetime], out: TextIO) -> Exit:
    """List held pods. Raises UsageError and UnreachableError."""

    async def ask(connection: Connection) -> list[HeldPod]:
        return await held_pods(connection, namespace=request.namespace)

    found = with_connection(request.where, ask, gives="list of pods")
    now = clock()
    if request.output in ("table", "wide"):
        columns = width(out) if request.output == "table" else None
        out.writelines(f"{line}\n" for line in table(found, now=now, columns=columns))
    else:
        write_documents(map(_document, found), request.output, name=_qualified, out=out)
    return Exit.FINE


def release(request: ReleaseRequest, *, out: TextIO, err: TextIO) -> Exit:
    """Release held pods. Exits with code 1 where one was not found or not released.

    Raises UsageError and UnreachableError.
    """
    wanted = [_target(text) for text in request.targets]

    async def act(connection: Connection) -> Exit:
        there = {
            namespace: await held_pods(connection, namespace=namespace) for namespace in {place for place, _ in wanted}
        }
        found = [_held_named(there[namespace], namespace, name, err=err) for namespace, name in wanted]
        held = {held_pod.pod.uid: held_pod for pods in found for held_pod in pods}.values()
        missing = not all(found)
        if not request.yes:
            out.writelines(f"would release {_name(held_pod)}: {why(held_pod)}\n" for held_pod in held)
            return Exit.FINDING if missing else Exit.FINE
        ends = [await _remove_finalizer(connection, held_pod, out=out, err=err) for held_pod in held]
        return Exit.FINE if held and all(ends) and not missing else Exit.FINDING

    return with_connection(request.where, act, gives="list of pods")


def check_targets(targets: Sequence[str]) -> None:
    """Raise UsageError for an invalid target."""
    for text in targets:
        _target(text)


def why(held: HeldPod) -> str:
    """Why a pod is still held, as far as it can be seen in the pod."""
    if held.deleted_at is not None and held.waits_for_node:
        return "it is being deleted, and its node has not reported that its containers ended"
    if held.deleted_at is not None:
        others = f"; it has other finalizers too: {', '.join(held.others)}" if held.others else ""
        return "it is deleted; no agent has reported it yet, or the broker has not acknowledged the report" + others
    if held.phase in _ENDED:
        return "it has ended; no agent has reported it yet, or the broker has not acknowledged the report"
    return "its run is not over"


def _held_named(there: Sequence[HeldPod], namespace: str, name: str, *, err: TextIO) -> list[HeldPod]:
    held = [held_pod for held_pod in there if name in {"", held_pod.pod.name}]
    if not held:
        what = f"{namespace}/{name}" if name else f"any pod of {namespace}"
        report_error(err, f"our finalizer is not on {visible(what)}")
    return held


async def _remove_finalizer(connection: Connection, held: HeldPod, *, out: TextIO, err: TextIO) -> bool:
    try:
        await PodWriter(connection).remove_finalizer(held.pod, FINALIZER)
    except Forbidden as error:
        report_error(err, f"{_name(held)}: you may not patch pods there: {visible(error.message)}")
        return False
    except ApiError as error:
        report_error(err, f"{_name(held)}: {visible(str(error))}")
        return False
    out.write(f"released {_name(held)}\n")
    return True


def _target(text: str) -> tuple[str, str]:
    namespace, _, name = text.partition("/")
    if not namespace or "/" in name or text.endswith("/"):
        raise UsageError(f"{visible(text)}: write NAMESPACE/POD, or NAMESPACE for all pods of one")
    return namespace, name


def table(found: Sequence[HeldPod], *, now: datetime, columns: int | None) -> Iterator[str]:
    """A line for each pod; with the reason on lines of its own if the terminal has too few ``columns`` for one line."""
    if not found:
        yield "Our finalizer is on no pod."
        return
    rows = [_cells(held_pod, now=now) for held_pod in sorted(found, key=_name)]
    shown = widened(_COLUMNS, rows)
    if columns is None or _width(shown) <= columns:
        yield heading(shown)
        yield from (line(row, shown) for row in rows)
    else:
        yield from _stacked(rows, shown[:-1], columns=columns)


def _stacked(rows: Sequence[Sequence[str]], shown: Sequence[Column], *, columns: int) -> Iterator[str]:
    pod, *others = shown
    shown = (replace(pod, width=min(pod.width, columns - _width(others) - _GAP)), *others)
    yield heading(shown)
    for name, *cells, reason in rows:
        yield line((shorten(name, shown[0].width), *cells), shown)
        yield from paragraph(" " * _INDENT, visible(reason), indent=_INDENT, columns=columns)


def _width(shown: Sequence[Column]) -> int:
    return sum(column.width for column in shown) + _GAP * (len(shown) - 1)


def _cells(held: HeldPod, *, now: datetime) -> tuple[str, ...]:
    held_for = "?" if held.since is None else in_words(max(0, round((now - held.since).total_seconds())))
    return (_name(held), held_for, held.phase, why(held))


def _document(held: HeldPod) -> Mapping[str, object]:
    return {
        "namespace": held.pod.namespace,
        "name": held.pod.name,
        "uid": held.pod.uid,
        "phase": held.phase,
        "heldSince": None if held.since is None else held.since.isoformat(),
        "deletedAt": None if held.deleted_at is None else held.deleted_at.isoformat(),
        "otherFinalizers": list(held.others),
        "why": why(held),
    }


def _qualified(document: Mapping[str, Any]) -> str:
    return f"{document['namespace']}/{document['name']}"


def _name(held: HeldPod) -> str:
    return visible(f"{held.pod.namespace}/{held.pod.name}")
