"""Texts: finds or rewrites every text of a value in one pass.

``collect`` is the quick pass for most failures: all texts of some evidence. ``rewrite`` is slower, for the few failures
in which something must change; it knows the path of each text.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import fields, replace

from agent.core.evidence import Condition, Container, ContainerState, Evidence, Node
from agent.core.memo import keep_last, memo

Value = TypeVar("Value", bound=Struct)

_LONG = 128
"""From this length on it pays to check whether the pod's error quotes a message."""

_NOT_STORED = frozenset({"deadline_seconds", "ended", "known_as", "namespace", "specified", "unlimited"})
"""Fields that no failure has: what only classification reads, and a state that is stored elsewhere."""

_START = 32
"""How much of a message is searched for before the rest is compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPlace:
    """The place of a text or a list: its path, its class and the name of the field.

    Paths are those of ``FailureInfo``: ``pod.containers[0].state.message``.
    """

    path: str
    owner: type
    field: str


class Rewriting(Protocol):
    """What to do at each place of a value."""

    def text(self, text: str, place: TextPlace) -> str:
        """The replacement for the text."""
        ...

    def items(self, items: tuple[Any, ...], place: TextPlace) -> tuple[Any, ...]:
        """The replacement for the items; each is rewritten afterwards."""
        ...


def rewrite(value: Value, rewriting: Rewriting, *, path: str = "") -> Value:
    """The same struct with every text and every list rewritten. Enumerations stay as they are.

    A container's ``ended`` is not rewritten separately: it stays identical to its state or last state.
    """
    changed = _changes(value, rewriting, path)
    if isinstance(value, Container) and changed:
        changed["ended"] = _still_ended(value, changed)
    return replace(value, **changed) if changed else value


def _changes(value: Struct, rewriting: Rewriting, path: str) -> dict[str, Any]:
    changed = {}
    owner = type(value)
    for name in _rewritable(owner):
        old = getattr(value, name)
        new = _rewritten(old, rewriting, TextPlace(path=f"{path}.{name}" if path else name, owner=owner, field=name))
        if new is not old:
            changed[name] = new
    return changed


def _rewritten(old: Any, rewriting: Rewriting, place: TextPlace) -> Any:  # noqa: ANN401 - any field of any struct
    if type(old) is str:
        return rewriting.text(old, place)
    if isinstance(old, tuple):
        return _rewritten_items(old, rewriting, place)
    if isinstance(old, Struct):
        return rewrite(old, rewriting, path=place.path)
    return old


def _rewritten_items(old: tuple[Any, ...], rewriting: Rewriting, place: TextPlace) -> tuple[Any, ...]:
    kept = rewriting.items(old, place)
    new = tuple(
        _rewritten(item, rewriting, TextPlace(path=f"{place.path}[{index}]", owner=place.owner, field=place.field))
        for index, item in enumerate(kept)
    )
    unchanged = kept is old and all(map(_same, new, old))
    return old if unchanged else new


def _same(new: object, old: object) -> bool:
    return new is old  # equality would compare every value again


def _still_ended(old: Container, changed: dict[str, Any]) -> ContainerState | None:
    if old.ended is None:
        return None
    name = "state" if old.ended_now else "last_state"
    state: ContainerState | None = changed.get(name, getattr(old, name))
    return state


@cache
def _rewritable(owner: type[Struct]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(owner) if field.name not in _NOT_STORED)


def _quoted(text: str, within: str) -> bool:
    """Whether the text is at the first occurrence of its start; quicker than searching for all of it."""
    at = within.find(text[:_START])
    return at >= 0 and within.startswith(text, at)


class Texts(Struct, frozen=True, gc=False):
    """Every text of some evidence, by possible length: names and reasons, messages, and long texts.

    Empty messages are left out. ``once`` is all of them, joined by line breaks, without long messages of the pod and
    its containers that the first of the long texts, the pod's error, quotes. ``length`` is at least their total number
    of characters. The texts ``of_node`` are apart, and the same object for all pods that fail on a node: what was found
    out about them holds for all.
    """

    words: list[str]
    messages: list[str]
    long: list[str]
    once: str
    length: int
    of_node: "Texts | None" = None

    @property
    def joined(self) -> str:
        """All of them, joined by line breaks."""
        of_node = () if self.of_node is None else (self.of_node.joined,)
        return "\n".join((*self.words, *self.messages, *self.long, *of_node))

    def also(self, *, words: list[str], messages: list[str]) -> "Texts":
        """These texts plus more names and messages."""
        once = "\n".join((self.once, *words, *messages))
        length = self.length + len(once) - len(self.once)
        return Texts(self.words + words, self.messages + messages, self.long, once, length, self.of_node)

    def __len__(self) -> int:
        of_node = 0 if self.of_node is None else len(self.of_node)
        return len(self.words) + len(self.messages) + len(self.long) + of_node


def _collect_afresh(evidence: Evidence) -> Texts:
    pod, error = evidence.pod, evidence.pod_error
    words = [pod.phase, pod.reason, pod.qos_class, pod.restart_policy, *evidence.sanitized]
    messages, long = list[str](), [error]
    if pod.controller is not None:
        words.append(pod.controller)
    _collect_conditions(pod.conditions, words, messages)
    said = [pod.message, *_collect_containers(pod.containers, words, messages)]
    for event in evidence.events:
        words += (event.reason, event.type, event.component)
        messages.append(event.message)
    for tail in evidence.log_tails:
        words.append(tail.container)
        long.append(tail.text)
    for missing in evidence.missing:
        words.append(missing.what)
        messages.append(missing.reason)
    unquoted = [text for text in said if len(text) < _LONG or not _quoted(text, error)]
    once = "\n".join([*words, *messages, *unquoted, *long])
    length = len(once) if len(unquoted) == len(said) else len(once) + sum(map(len, said))
    of_node = None if evidence.node is None else _node_texts(evidence.node)
    return Texts(words, messages + said, long, once, length, of_node)


collect = keep_last(_collect_afresh)
"""Every text of the evidence, in no particular order; ``rewrite`` visits the same ones.

Cached, because the same evidence is used twice in a row: for stripping, and for redaction.
"""


def _collect_containers(containers: Iterable[Container], words: list[str], messages: list[str]) -> list[str]:
    """Add the images of containers to the messages, and return the messages of their states."""
    said = []
    for container in containers:
        state, last = container.state, container.last_state
        words += (container.name, state.reason)
        messages.append(container.image)
        if state.message:
            said.append(state.message)
        if last is not None:
            words.append(last.reason)
            said.append(last.message)
    return said


def _collect_conditions(conditions: Iterable[Condition], words: list[str], messages: list[str]) -> None:
    for condition in conditions:
        words += (condition.type, condition.status, condition.reason)
        if condition.message:
            messages.append(condition.message)


def _collect_node(node: Node) -> Texts:
    words, messages = [node.name], [*node.log_lines]
    _collect_conditions(node.conditions, words, messages)
    for taint in node.taints:
        words += (taint.key, taint.value, taint.effect)
    once = "\n".join((*words, *messages))
    return Texts(words, messages, [], once, len(once))


_node_texts = memo(_collect_node)
