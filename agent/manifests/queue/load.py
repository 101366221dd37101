"""Queues: checked as a whole and compiled to the value of core."""

from collections.abc import Iterator, Sequence

from agent.core.queue import Permission, Queue, Subject, SubjectKind, Verb
from agent.documents.checked import Checked, check_text, with_faults
from agent.documents.node import Node, Span, find, items, text_at, write_path
from agent.documents.problem import quote
from agent.documents.shape import check
from agent.documents.source import Fault, Source
from agent.manifests.queue.shapes import ArmadaQueueShape, PermissionShape, QueueShape
from agent.manifests.retry.armada import API_VERSION as ARMADAS


def load_queue(text: str | bytes, *, file: str) -> Queue:
    """Return the queue of a file, in either form. Raises ``ManifestError`` with every fault at once."""
    return check_text(text, check_queue, file=file).value_or_raise()


def check_queue(root: Node, source: Source) -> Checked[Queue]:
    if text_at(find(root, ("apiVersion",))) == ARMADAS and find(root, ("spec",)) is None:
        armadas = check(ArmadaQueueShape, root)
        faults = [*armadas.faults, *_repeated(root, ("retryPolicies",))]
        value = None if armadas.value is None else _of_armadas(armadas.value)
    else:
        ours = check(QueueShape, root)
        faults = [*ours.faults, *_repeated(root, ("spec", "retryPolicies"))]
        value = None if ours.value is None else _of_ours(ours.value)
    return with_faults(faults, source) if faults else Checked(value=value, problems=())


def _repeated(root: Node, at: tuple[str, ...]) -> Iterator[Fault]:
    seen: dict[str, Span] = {}
    for number, item in items(find(root, at)):
        name = text_at(item) or ""
        first = seen.setdefault(name, item.span)
        if first is not item.span:
            message = f"the policy {quote(name)} is named twice; first at {first.line}:{first.column}"
            yield Fault(code="duplicate-policy", span=item.span, path=write_path((*at, number)), message=message)


def _of_ours(shape: QueueShape) -> Queue:
    spec = shape.spec
    return Queue(
        name=shape.metadata.name,
        policies=tuple(spec.retryPolicies or ()),
        priority=spec.priority or 1.0,
        clusters=_names(spec.clusters),
        max_active_runs=spec.maxActiveRuns,
        apply_to_jobs=bool(spec.applyToJobs),
        graceful_shutdown=spec.gracefulShutdown,
        lost_cluster=spec.lostCluster,
        namespaces=_names(spec.namespaces),
        service_accounts=_names(spec.serviceAccounts),
        permissions=tuple(map(_permission, spec.permissions or ())),
        cordoned=bool(spec.cordoned),
        labels=spec.labels or {},
    )


def _of_armadas(shape: ArmadaQueueShape) -> Queue:
    owners = (
        *(Subject(kind=SubjectKind.USER, name=name) for name in shape.userOwners or ()),
        *(Subject(kind=SubjectKind.GROUP, name=name) for name in shape.groupOwners or ()),
    )
    # in Armada an owner may do everything
    owned = (Permission(subjects=owners, verbs=frozenset(Verb)),) if owners else ()
    return Queue(
        name=shape.name,
        policies=tuple(shape.retryPolicies or ()),
        priority=shape.priorityFactor or 1.0,
        permissions=(*owned, *map(_permission, shape.permissions or ())),
        cordoned=bool(shape.cordoned),
        labels=shape.labels or {},
    )


def _names(written: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if written is None else tuple(written)


def _permission(shape: PermissionShape) -> Permission:
    subjects = tuple(Subject(kind=subject.kind, name=subject.name) for subject in shape.subjects)
    return Permission(subjects=subjects, verbs=frozenset(shape.verbs))
