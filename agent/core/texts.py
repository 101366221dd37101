"""Texts: every text of a value, found or rewritten in one walk.

``collect`` is the quick look that most failures need: all texts of some evidence. ``rewrite``
is the slow road for the few where something must change; it knows the path of each text.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Any, Protocol, TypeVar

from agent.core.evidence import Condition, Container, ContainerState, Evidence, Node

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a text or a row of items stands: its path, the class that holds it and the field's name.

    Paths are those of ``FailureInfo``: ``pod.containers[0].state.message``.
    """

    path: str
    owner: type
    field: str


class Rewriting(Protocol):
    """What to do at each place of a value."""

    def text(self, text: str, place: Place) -> str:
        """The text to stand there instead."""
        ...

    def items(self, items: tuple[Any, ...], place: Place) -> tuple[Any, ...]:
        """The items to stand there instead; each is rewritten afterwards."""
        ...


def rewrite(value: Value, rewriting: Rewriting, *, path: str = "") -> Value:
    """The same dataclass with every text and every row of items rewritten. Enumerations stay as they are.

    A container's ``ended`` is not rewritten for itself: it is its state or last state and stays so.
    """
    changed = _changes(value, rewriting, path)
    if isinstance(value, Container) and changed:
        changed["ended"] = _still_ended(value, changed)
    return replace(value, **changed) if changed else value  # type: ignore[type-var]  # always a dataclass


def _changes(value: object, rewriting: Rewriting, path: str) -> dict[str, Any]:
    changed = {}
    owner: type = type(value)
    for name in _rewritable(owner):
        old = getattr(value, name)
        new = _rewritten(old, rewriting, Place(path=f"{path}.{name}" if path else name, owner=owner, field=name))
        if new is not old:
            changed[name] = new
    return changed


def _rewritten(old: Any, rewriting: Rewriting, place: Place) -> Any:  # noqa: ANN401 - any field of any dataclass
    if type(old) is str:
        return rewriting.text(old, place)
    if isinstance(old, tuple):
        return _rewritten_items(old, rewriting, place)
    if is_dataclass(old):
        return rewrite(old, rewriting, path=place.path)
    return old


def _rewritten_items(old: tuple[Any, ...], rewriting: Rewriting, place: Place) -> tuple[Any, ...]:
    kept = rewriting.items(old, place)
    new = tuple(
        _rewritten(item, rewriting, Place(path=f"{place.path}[{index}]", owner=place.owner, field=place.field))
        for index, item in enumerate(kept)
    )
    unchanged = kept is old and all(map(_same, new, old))
    return old if unchanged else new


def _same(new: object, old: object) -> bool:
    return new is old


def _still_ended(old: Container, changed: dict[str, Any]) -> ContainerState | None:
    if old.ended is None:
        return None
    name = "state" if old.ended == old.state else "last_state"
    state: ContainerState | None = changed.get(name, getattr(old, name))
    return state


@cache
def _rewritable(owner: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(owner) if each.name != "ended")


_LONG = 128


@dataclass(slots=True)
class Texts:
    """Every text of some evidence, by how long it may be: names and reasons, messages, and long texts."""

    words: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    long: list[str] = field(default_factory=list)

    @property
    def joined(self) -> str:
        """All of them, a line break between each."""
        return "\n".join((*self.words, *self.messages, *self.long))

    @property
    def joined_once(self) -> str:
        """As ``joined``, without long messages that the first of the long texts, the pod's error, quotes."""
        error = self.long[0] if self.long else ""
        messages = [each for each in self.messages if len(each) < _LONG or not _has(error, each)]
        return "\n".join((*self.words, *messages, *self.long))

    def __len__(self) -> int:
        return len(self.words) + len(self.messages) + len(self.long)


def _has(error: str, message: str) -> bool:
    """Whether the error quotes the message; mostly as the last thing before a line break, which is quick to see."""
    return error.endswith(message, 0, -1) or message in error


def collect(evidence: Evidence) -> Texts:
    """Every text of the evidence, in no order that matters; ``rewrite`` meets the same ones."""
    pod = evidence.pod
    texts = Texts([pod.phase, pod.reason, pod.qos_class, *evidence.sanitized], [pod.message], [evidence.pod_error])
    words, messages = texts.words, texts.messages
    _collect_conditions(pod.conditions, texts)
    for container in pod.containers:
        _collect_container(container, texts)
    for event in evidence.events:
        words += (event.reason, event.type, event.component)
        messages.append(event.message)
    if evidence.node is not None:
        _collect_node(evidence.node, texts)
    for tail in evidence.log_tails:
        words.append(tail.container)
        texts.long.append(tail.text)
    for missing in evidence.missing:
        words.append(missing.what)
        messages.append(missing.reason)
    return texts


def _collect_container(container: Container, texts: Texts) -> None:
    state, last = container.state, container.last_state
    texts.words += (container.name, state.reason)
    texts.messages += (container.image, state.message)
    if last is not None:
        texts.words.append(last.reason)
        texts.messages.append(last.message)


def _collect_conditions(conditions: Iterable[Condition], texts: Texts) -> None:
    for condition in conditions:
        texts.words += (condition.type, condition.status, condition.reason)
        texts.messages.append(condition.message)


def _collect_node(node: Node, texts: Texts) -> None:
    texts.words.append(node.name)
    texts.messages += node.log_lines
    _collect_conditions(node.conditions, texts)
    for taint in node.taints:
        texts.words += (taint.key, taint.value, taint.effect)
