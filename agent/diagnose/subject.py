"""Reads the subject of a diagnosis from an object in any supported form.

A Pod; a bundle ``{"pod", "events", "node", "logs", "owners"}``; or bare evidence ``{"message" | "event" | "events" |
"node" | "logs"}``. ``node`` is a Node, or ``{"conditions", "kernelLog", "kubeletLog", "events"}``; ``logs`` are the
ends of logs, by container or as ``[{"container", "text", "previous"}]``; ``owners`` are Jobs and JobSets. Other keys
(``id``, ``labels``, ``why``, ...) belong to the user and are ignored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from agent.core.evidence import LogTail, MissingEvidence
from agent.kube import objects
from agent.observe.templates import Owner, template_of

_SUFFIXES = ("At", "Time", "Timestamp", "timeAdded")


def without_unreadable_times(value: object) -> tuple[object, int]:
    """The object without times that are not RFC 3339, and the number of these."""
    if isinstance(value, Mapping):
        kept: dict[object, object] = {}
        lost = 0
        for key, member in value.items():
            if isinstance(key, str) and key.endswith(_SUFFIXES) and _is_no_time(member):
                lost += 1
                continue
            kept[key], more = without_unreadable_times(member)
            lost += more
        return kept, lost
    if isinstance(value, list):
        pairs = [without_unreadable_times(member) for member in value]
        return [member for member, _ in pairs], sum(more for _, more in pairs)
    return value, 0


def _is_no_time(member: object) -> bool:
    if not isinstance(member, str):
        return False
    try:
        return datetime.fromisoformat(member).tzinfo is None
    except ValueError:
        return True


T = TypeVar("T")

_BUNDLE = ("pod", "events", "event", "node", "message", "logs")
_OWNERS = ("Job", "JobSet")


class NotASubject(ValueError):
    """The object cannot be classified; the message says what is wrong and what is expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One thing to classify, decoded. ``pod`` is ``None`` for bare evidence.

    ``template`` has the names of the containers that the pod's owner submitted, where that is known. ``owners`` are the
    Job that made the pod and the JobSet that made the Job, as far as they are known.
    """

    name: str
    pod: objects.Pod | None = None
    events: tuple[objects.Event, ...] = ()
    node: objects.Node | None = None
    node_log: tuple[str, ...] = ()
    message: str = ""
    log_tails: tuple[LogTail, ...] = ()
    template: tuple[str, ...] | None = None
    owners: tuple[Owner, ...] = ()
    missing: tuple[MissingEvidence, ...] = ()


def read_subject(value: object) -> Subject:
    """The subject an object describes; invalid times are left out and reported as missing. Raises NotASubject."""
    try:
        return _read(value)
    except NotASubject:
        timed, lost = without_unreadable_times(value)
        if not lost:
            raise
    except RecursionError as error:
        raise NotASubject("the object is nested too deeply") from error
    missing = MissingEvidence(what="times", reason=f"{lost} not written as RFC 3339")
    return replace(_read(timed), missing=(missing,))


def read_owner(value: object) -> Owner | None:
    """The Job or JobSet that an object is; ``None`` for anything else. Raises NotASubject for one that is not valid."""
    return _owner(value, "") if isinstance(value, Mapping) and value.get("kind") in _OWNERS else None


def with_owners(subject: Subject, owners: tuple[Owner, ...]) -> Subject:
    """The subject with the Job that made its pod, and the JobSet that made the Job."""
    template = None if subject.pod is None else template_of(subject.pod, owners)
    return replace(subject, owners=owners, template=template)


def _read(value: object) -> Subject:
    if not isinstance(value, Mapping):
        raise NotASubject(f"a {_kind(value)} is not a Pod; expected an object with kind: Pod, or a bundle with pod:")
    if _is_pod(value):
        pod = _convert(value, objects.Pod, "")
        return Subject(name=_pod_name(pod), pod=pod)
    if any(key in value for key in _BUNDLE):
        return _bundle(value)
    raise without_pod(value.get("kind"))


def without_pod(kind: object) -> NotASubject:
    """The error for an object of a kind that cannot be classified, or not by itself."""
    what = f"kind {kind!r} cannot be classified" if kind else "this object is neither a Pod nor a bundle"
    if kind in _OWNERS:
        what = f"{what} without its pod; give both together, or it as one of the owners in a bundle"
    return NotASubject(f"{what}; expected kind: Pod, or one of the keys {', '.join(_BUNDLE)}")


def _is_pod(value: Mapping[Any, Any]) -> bool:
    if value.get("kind") not in (None, "Pod"):
        return False
    return value.get("kind") == "Pod" or ("status" in value and "pod" not in value)


def _bundle(value: Mapping[Any, Any]) -> Subject:
    pod = _convert(value["pod"], objects.Pod, "pod") if value.get("pod") is not None else None
    node, node_log = _node(value.get("node"))
    events = _events(value.get("events"), "events")
    if value.get("event") is not None:
        events += _events([value["event"]], "event")
    owners = tuple(_owner(owner, f"owners[{at}]") for at, owner in enumerate(_list(value.get("owners"), "owners")))
    subject = Subject(
        name=_name(value, pod),
        pod=pod,
        events=events,
        node=node,
        node_log=node_log,
        message=_text(value.get("message"), "message"),
        log_tails=_logs(value.get("logs")),
        template=template_of(pod, owners) if pod is not None else None,
        owners=owners,
    )
    if pod is None and not (events or node or subject.message or subject.log_tails):
        raise NotASubject("the bundle holds no evidence: pod, events, node, message and logs are all empty")
    return subject


def _logs(value: object) -> tuple[LogTail, ...]:
    if isinstance(value, Mapping):
        return tuple(LogTail(container=str(name), text=_text(text, f"logs.{name}")) for name, text in value.items())
    return tuple(_convert(log, LogTail, f"logs[{at}]") for at, log in enumerate(_list(value, "logs")))


def _owner(value: object, path: str) -> Owner:
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if kind == "Job":
        return _convert(value, objects.Job, path)
    if kind == "JobSet":
        return _convert(value, objects.JobSet, path)
    raise NotASubject(f"{path}: expected kind: Job or kind: JobSet, found {kind!r}")


def _list(value: object, path: str) -> list[object]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise NotASubject(f"{path}: expected a list, found a {_kind(value)}")
    return value


def _node(value: object) -> tuple[objects.Node | None, tuple[str, ...]]:
    if value is None:
        return None, ()
    if not isinstance(value, Mapping):
        raise NotASubject(f"node: expected an object, found a {_kind(value)}")
    if "status" in value or "spec" in value or value.get("kind") == "Node":
        return _convert(value, objects.Node, "node"), ()
    return _bare_node(value)


def _bare_node(value: Mapping[Any, Any]) -> tuple[objects.Node, tuple[str, ...]]:
    known = {"conditions", "kernelLog", "kubeletLog", "events", "name", "taints", "unschedulable"}
    if unknown := [str(key) for key in value if key not in known]:
        raise NotASubject(f"node: unknown key {unknown[0]!r}; known: {', '.join(sorted(known))}")
    spec = {"taints": value.get("taints"), "unschedulable": value.get("unschedulable")}
    node = {"metadata": {"name": value.get("name")}, "spec": spec, "status": {"conditions": value.get("conditions")}}
    lines = [line for key in ("kernelLog", "kubeletLog") for line in _lines(value.get(key), f"node.{key}")]
    messages = [event.message or "" for event in _events(value.get("events"), "node.events")]
    return _convert(node, objects.Node, "node"), tuple(lines + messages)


def _events(value: object, path: str) -> tuple[objects.Event, ...]:
    if value is None:
        return ()
    if isinstance(value, Mapping) and isinstance(value.get("items"), Sequence):
        value = value["items"]
    if not isinstance(value, list):
        raise NotASubject(f"{path}: expected a list of events, found a {_kind(value)}")
    return tuple(_convert(event, objects.Event, f"{path}[{i}]") for i, event in enumerate(value))


def _lines(value: object, path: str) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return value.split("\n")
    if not isinstance(value, list) or not all(isinstance(line, str) for line in value):
        raise NotASubject(f"{path}: expected text or a list of lines")
    return value


def _text(value: object, path: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise NotASubject(f"{path}: expected text, found a {_kind(value)}")
    return value


def _convert(value: object, kind: type[T], path: str) -> T:
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        problem = str(error).replace("$.", f"{path}." if path else "").replace("$", path or "the object")
        raise NotASubject(f"not a {kind.__name__}: {problem}") from error


def _name(value: Mapping[Any, Any], pod: objects.Pod | None) -> str:
    if pod is not None and pod.metadata.name:
        return _pod_name(pod)
    return str(value.get("id") or "")


def _pod_name(pod: objects.Pod) -> str:
    name = pod.metadata.name or ""
    return f"{pod.metadata.namespace}/{name}" if pod.metadata.namespace else name


def _kind(value: object) -> str:
    names = {list: "list", str: "text", bool: "boolean", int: "number", float: "number", type(None): "null"}
    return names.get(type(value), type(value).__name__)
