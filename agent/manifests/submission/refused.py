"""What is refused of a job, by name: what this system does not do yet, and what no pod may ask for."""

import json
from collections.abc import Iterator
from typing import Final

from agent.core.retry.annotations import ANNOTATIONS
from agent.core.submission.forbidden import ARMADAS, OURS, forbidden
from agent.documents.node import (
    List,
    Mapping,
    MappingEntry,
    Node,
    PathStep,
    Scalar,
    Span,
    find,
    items,
    plain,
    text_at,
    write_path,
)
from agent.documents.problem import quote
from agent.documents.source import Fault

Steps = tuple[PathStep, ...]

NEVER: Final = "Never"
"""The only restart policy: a run is one try."""

MAX_SPEC_BYTES: Final = 1 << 20
"""The largest spec of a pod, as JSON."""

MAX_GRACE_SECONDS: Final = 365 * 24 * 60 * 60
"""The longest time that a pod may take to stop. The next run may have to wait for it."""

_GRACE: Final = "terminationGracePeriodSeconds"
_NUL: Final = "\x00"
_GANG: Final = "armadaproject.io/gang"
_NOT_YET: Final = {
    "ingress": "ingresses are not supported for now",
    "services": "services are not supported for now",
    "scheduler": "other schedulers are not supported for now",
}
_WITHOUT_MEANING: Final = {
    "generateName": "a name that is made up would make each submission another job",
    "ownerReferences": "the pods of a job have no other owner",
    "finalizers": "finalizers of others are not supported for now",
}


def item_faults(item: Node, *, at: Steps) -> Iterator[Fault]:
    """Yield what is refused in one of the jobs of a jobs file."""
    for field, message in _NOT_YET.items():
        yield from _if_given(item, field, message, "leave it out", at=at)
    message = "`requiredNodeLabels` is not supported"
    yield from _if_given(item, "requiredNodeLabels", message, "use nodeSelector of the podSpec", at=at)
    yield from metadata_faults(item, at=at)
    specs = find(item, ("podSpecs",))
    if isinstance(specs, List) and len(specs.items) > 1:
        message = f"found {len(specs.items)} pods: jobs of several pods are not supported for now"
        yield _refused(specs.items[1], (*at, "podSpecs", 1), message, "submit a job for each pod")


def pod_faults(pod: Node) -> Iterator[Fault]:
    """Yield what is refused in the metadata of a Pod."""
    metadata = find(pod, ("metadata",))
    if metadata is not None:
        for field, message in _WITHOUT_MEANING.items():
            yield from _if_given(metadata, field, message, "leave it out", at=("metadata",))
        yield from metadata_faults(metadata, at=("metadata",))


def metadata_faults(holder: Node, *, at: Steps) -> Iterator[Fault]:
    """Yield labels and annotations that only we, or Armada, write."""
    for entry in _entries(holder, "labels"):
        if entry.key.startswith((OURS, ARMADAS)):
            owner = "us" if entry.key.startswith(OURS) else "Armada"
            yield _key(entry, (*at, "labels"), f"the label {quote(entry.key)} is written by {owner} only")
    for entry in _entries(holder, "annotations"):
        if entry.key.startswith(_GANG):
            yield _key(entry, (*at, "annotations"), f"gangs are not supported for now ({quote(entry.key)})")
        elif entry.key.startswith(OURS) and entry.key not in ANNOTATIONS:
            yield _key(entry, (*at, "annotations"), f"the annotation {quote(entry.key)} is written by us only")


def unstorable(node: Node, *, at: Steps = ()) -> Iterator[Fault]:
    """Yield texts with NUL, which databases do not keep."""
    match node:
        case Scalar():
            if isinstance(node.value, str) and _NUL in node.value:
                yield _unstorable(node.span, at)
        case List():
            for number, item in items(node):
                yield from unstorable(item, at=(*at, number))
        case Mapping():
            for entry in node.entries:
                if _NUL in entry.key:
                    yield _unstorable(entry.span, at)
                yield from unstorable(entry.value, at=(*at, entry.key))


def _unstorable(span: Span, at: Steps) -> Fault:
    message = "a text with NUL cannot be kept"
    return Fault(code="control-character", span=span, path=write_path(at), message=message, hint="leave it out")


def spec_faults(spec: Node, *, at: Steps) -> Iterator[Fault]:
    """Yield what is refused in the spec of a pod."""
    written = plain(spec)
    if not isinstance(written, dict):
        return
    if not written.get("containers"):
        yield Fault(code="empty", span=spec.span, path=write_path((*at, "containers")), message="no containers")
    policy = find(spec, ("restartPolicy",))
    if policy is not None and text_at(policy) not in (None, NEVER):
        message = f"the restart policy {quote(text_at(policy) or '')} is not supported: a run is one try of the job"
        yield _refused(policy, (*at, "restartPolicy"), message, f"write {NEVER}, or leave it out; retries are decided")
    grace = written.get(_GRACE)
    if isinstance(grace, int) and not 0 <= grace <= MAX_GRACE_SECONDS:
        message = f"{grace} is not from 0 to {MAX_GRACE_SECONDS} (a year)"
        span = (find(spec, (_GRACE,)) or spec).span
        yield Fault(code="out-of-range", span=span, path=write_path((*at, _GRACE)), message=message)
    for problem in forbidden(written):
        yield _forbidden(spec, at, problem.at, message=problem.message, hint=problem.hint)
    size = len(json.dumps(written, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass"))
    if size > MAX_SPEC_BYTES:
        message = f"the spec is {size:,} bytes long; at most {MAX_SPEC_BYTES:,} are allowed"
        yield Fault(code="too-large", span=spec.span, path=write_path(at), message=message, hint=_TOO_LARGE)


_TOO_LARGE: Final = "put what is long into a ConfigMap or an image"


def _forbidden(spec: Node, at: Steps, steps: Steps, *, message: str, hint: str) -> Fault:
    node = find(spec, steps) or spec
    return Fault(code="forbidden", span=node.span, path=write_path((*at, *steps)), message=message, hint=hint)


def _if_given(holder: Node, field: str, message: str, hint: str, *, at: Steps) -> Iterator[Fault]:
    entry = holder.entry(field) if isinstance(holder, Mapping) else None
    if entry is not None and not _is_empty(entry.value):
        yield Fault(code="not-carried-out", span=entry.span, path=write_path((*at, field)), message=message, hint=hint)


def _is_empty(node: Node) -> bool:
    if isinstance(node, Scalar):
        return node.value in (None, "")
    return not (node.items if isinstance(node, List) else node.entries)


def _entries(holder: Node, field: str) -> tuple[MappingEntry, ...]:
    found = find(holder, (field,))
    return found.entries if isinstance(found, Mapping) else ()


def _key(entry: MappingEntry, at: Steps, message: str) -> Fault:
    path = write_path((*at, entry.key))
    return Fault(code="forbidden", span=entry.span, path=path, message=message, hint="leave it out")


def _refused(node: Node, at: Steps, message: str, hint: str) -> Fault:
    return Fault(code="not-carried-out", span=node.span, path=write_path(at), message=message, hint=hint)
