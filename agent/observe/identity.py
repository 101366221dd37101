"""Identity: which job and run a pod claims to belong to.

Labels and annotations are claims, because whoever can write a pod can write them. Its uid is proof: the API server
gives each to one pod only (docs/architecture.md, Trust).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from sys import intern
from typing import assert_never

from agent.core.identity.expression import Annotation, Expression, Label, MetadataField, Owner, OwnerField, PodField
from agent.core.identity.labels import JOB, RUN
from agent.core.identity.rules import DEFAULT, IdentityRules
from agent.core.memo import memo
from agent.core.retry.annotations import annotated
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
    read, metadata = _readers(rules), pod.metadata
    submitted = _was_submitted(metadata)
    return Identity(
        job_id=_first(read.job, metadata),
        run_id=_first(read.run, metadata),
        queue=intern(_first(read.queue, metadata)),
        job_set=intern(_first(read.job_set, metadata)),
        job_set_id="" if submitted else intern(_first(read.job_set_id, metadata)),
        gang_id="" if submitted else intern(_first(read.gang, metadata)),
        attempt=_first_number(read.attempt, metadata),
        index=_first_number(read.index, metadata),
        retry_policies=intern(_retry_policies(metadata.annotations)),
    )


def _was_submitted(metadata: objects.Metadata) -> bool:
    """Whether it is the pod of a submitted job, whose events keep their order under the job alone, as answers do.

    Whoever submitted it may have given it labels of other systems.
    """
    labels = metadata.labels or {}
    return bool(labels.get(JOB) and labels.get(RUN))


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
    return pod.metadata.deletionTimestamp is not None and _first(_readers(rules).deletion, pod.metadata) != ""


def _retry_policies(annotations: Mapping[str, str | None] | None) -> str:
    """The policies that annotations name, bounded: a name that was cut names no policy, which the verdict then says."""
    named = annotated(annotations) if annotations else ()
    return cut(strip(",".join(named)), LONGEST_ANNOTATION) if named else ""


def _first(readers: Iterable[Reader], metadata: objects.Metadata) -> str:
    for read in readers:
        if (found := read(metadata)) and (name := _name(found)):
            return name
    return ""


def _first_number(readers: Iterable[Reader], metadata: objects.Metadata) -> int | None:
    for read in readers:
        if (found := read(metadata)) and (number := _number(found)) is not None:
            return number
    return None


def evaluate(expression: Expression, pod: objects.Pod) -> str:
    """The value of the expression for this pod, unstripped; ``""`` if there is none."""
    return _reader_of(expression)(pod.metadata)


@dataclass(frozen=True, slots=True)
class _Readers:
    """For each part of an identity, what reads its expressions, in order."""

    job: tuple[Reader, ...]
    run: tuple[Reader, ...]
    queue: tuple[Reader, ...]
    job_set: tuple[Reader, ...]
    job_set_id: tuple[Reader, ...]
    gang: tuple[Reader, ...]
    attempt: tuple[Reader, ...]
    index: tuple[Reader, ...]
    deletion: tuple[Reader, ...]


def _make_readers(rules: IdentityRules) -> _Readers:
    return _Readers(*(tuple(map(_reader, getattr(rules, part.name))) for part in fields(_Readers)))


_readers = memo(_make_readers)
"""Memoised: every new pod is read by the same rules."""


def _reader(expression: Expression) -> Reader:
    readers = [_literal(part) if isinstance(part, str) else _place(part) for part in expression.parts]
    if len(readers) == 1:
        return readers[0]

    def read(metadata: objects.Metadata) -> str:
        found: list[str] = []
        for reader in reversed(readers):  # what pods of others lack is the last part; the first is their namespace
            if not (part := reader(metadata)):
                return ""
            found.append(part)
        return "".join(reversed(found))

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
