"""Identity: which job and run a pod belongs to (design 8: labels are claims, the uid is proof)."""

from collections.abc import Callable, Mapping
from sys import intern
from typing import assert_never

from agent.core.identity.expression import Annotation, Expression, Label, MetadataField, Owner, OwnerField, PodField
from agent.core.identity.rules import DEFAULT, Expressions, IdentityRules
from agent.core.memo import memo
from agent.core.retry.effective import annotated
from agent.core.run_event import Identity, PodReference
from agent.core.summary.bounds import cut
from agent.kube import objects
from agent.observe.text import strip

LONGEST_ANNOTATION = 1024
"""Bytes of the names of retry policies: sixteen of the longest."""

LONGEST_NAME = 253
"""Bytes of any part of an identity; Kubernetes' own names are no longer."""

Reader = Callable[[objects.Metadata], str]
"""Reads one place in a pod's metadata; ``""`` if there is nothing."""

_HIGHEST_NUMBER = 2**31 - 1


def identify(pod: objects.Pod, rules: IdentityRules = DEFAULT) -> Identity:
    """The identity of the pod's run, read from where the rules say.

    Values that many pods share are interned: 100,000 entries would otherwise hold 100,000 copies.
    """
    return Identity(
        job_id=_first(rules.job, pod),
        run_id=_first(rules.run, pod),
        queue=intern(_first(rules.queue, pod)),
        job_set=intern(_first(rules.job_set, pod)),
        job_set_id=intern(_first(rules.job_set_id, pod)),
        gang_id=intern(_first(rules.gang, pod)),
        attempt=_first_number(rules.attempt, pod),
        index=_first_number(rules.index, pod),
        retry_policies=intern(_retry_policies(pod.metadata.annotations)),
    )


def refer(pod: objects.Pod) -> PodReference:
    """A reference to this very pod: namespace, name, uid and node."""
    metadata = pod.metadata
    return PodReference(
        namespace=intern(_name(metadata.namespace)),
        name=_name(metadata.name),
        uid=_name(metadata.uid),
        node=intern(_name(pod.spec.nodeName)),
    )


def is_deleted_by_creator(pod: objects.Pod, rules: IdentityRules = DEFAULT) -> bool:
    """Whether the pod is being deleted, and its metadata says that the system that made it asked for that."""
    return pod.metadata.deletionTimestamp is not None and _first(rules.deletion, pod) != ""


def _retry_policies(annotations: Mapping[str, str | None] | None) -> str:
    """The policies that annotations name, bounded: a name that was cut names no policy, which the verdict then says."""
    return cut(strip(",".join(annotated(annotations or {}))), LONGEST_ANNOTATION)


def _first(expressions: Expressions, pod: objects.Pod) -> str:
    for read in _readers(expressions):
        if (found := read(pod.metadata)) and (name := _name(found)):
            return name
    return ""


def _first_number(expressions: Expressions, pod: objects.Pod) -> int | None:
    for read in _readers(expressions):
        if (found := read(pod.metadata)) and (number := _number(found)) is not None:
            return number
    return None


def evaluate(expression: Expression, pod: objects.Pod) -> str:
    """The value of the expression for this pod, unstripped; ``""`` if there is none."""
    return _reader_of(expression)(pod.metadata)


def _make_readers(expressions: Expressions) -> tuple[Reader, ...]:
    return tuple(map(_reader, expressions))


_readers = memo(_make_readers)
"""Memoised: every new pod is read by the same rules."""


def _reader(expression: Expression) -> Reader:
    readers = [_literal(part) if isinstance(part, str) else _place(part) for part in expression.parts]
    if len(readers) == 1:
        return readers[0]

    def read(metadata: objects.Metadata) -> str:
        parts = [reader(metadata) for reader in readers]
        return "".join(parts) if all(parts) else ""

    return read


_reader_of = memo(_reader)
"""Memoised: the same few expressions are evaluated for every pod that fails."""


def _literal(text: str) -> Reader:
    return lambda _: text


def _place(place: MetadataField) -> Reader:
    match place:
        case Label(key=key):
            return lambda metadata: (metadata.labels.get(key) or "") if metadata.labels else ""
        case Annotation(key=key):
            return lambda metadata: (metadata.annotations.get(key) or "") if metadata.annotations else ""
        case Owner():
            return lambda metadata: _read_owner(place, metadata) if metadata.ownerReferences else ""
        case PodField.UID:
            return lambda metadata: metadata.uid or ""
        case PodField.NAME:
            return lambda metadata: metadata.name or ""
        case PodField.NAMESPACE:
            return lambda metadata: metadata.namespace or ""
        case _:
            assert_never(place)


def _read_owner(place: Owner, metadata: objects.Metadata) -> str:
    for owner in metadata.ownerReferences or ():
        if owner.controller if not place.kind else _is_of(owner, place):
            return (owner.uid if place.field is OwnerField.UID else owner.name) or ""
    return ""


def _is_of(owner: objects.Owner, place: Owner) -> bool:
    group, slash, _ = (owner.apiVersion or "").partition("/")
    return owner.kind == place.kind and bool(slash) and group == place.group


def _name(text: str | None) -> str:
    if not text:
        return ""
    if text.isascii() and text.isprintable() and len(text) <= LONGEST_NAME:
        return text
    return cut(strip(text), LONGEST_NAME)


def _number(text: str) -> int | None:
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(_HIGHEST_NUMBER)):
        return None
    number = int(text)
    return number if number <= _HIGHEST_NUMBER else None
