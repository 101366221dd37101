"""Documents that are submitted: checked as a whole, and compiled to values of core."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from agent.core.job.validation_name import validate_object_name
from agent.core.retry.annotations import annotated
from agent.core.submission.submission import Submission
from agent.documents.checked import Checked, Finder, Steps, problems_of, with_faults
from agent.documents.node import List, Node, find, items, text_at, write_path
from agent.documents.problem import Problem, quote
from agent.documents.shape import check
from agent.documents.source import Fault, Source
from agent.manifests.submission.pod_spec import pod_spec_faults
from agent.manifests.submission.refused import NEVER, item_faults, pod_faults, spec_faults, unstorable
from agent.manifests.submission.shapes import JobItemShape, JobsFileShape, PodShape

POD: Final = "Pod"
JOBS_FIELD: Final = "jobs"
"""The field that identifies a jobs file, which has no ``kind``."""

_NAMESPACE: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """A job that a text submits, the line that it begins on, and where in its document; ``findings`` are warnings."""

    submission: Submission
    line: int
    at: Steps = ()
    findings: tuple[Problem, ...] = ()


def is_pod(root: Node) -> bool:
    """Return whether a document says that it is a Pod."""
    return text_at(find(root, ("kind",))) == POD


def is_jobs_file(root: Node) -> bool:
    """Return whether a document looks like Armada's jobs file."""
    return find(root, (JOBS_FIELD,)) is not None and find(root, ("kind",)) is None


def check_pod(root: Node, source: Source, *, queue: str | None = None) -> Checked[tuple[Submitted, ...]]:
    """Check a Pod. ``queue`` is where it is submitted to; ``None``: it is only checked."""
    shape = check(PodShape, root)
    namespace = text_at(find(root, ("metadata", "namespace")))
    faults = [
        *shape.faults,
        *_name_faults(root),
        *_namespace_faults(root, ("metadata", "namespace")),
        *pod_faults(root),
    ]
    faults += [*_spec_faults(root, ("spec",)), *unstorable(root)]
    if queue == "":
        message, hint = "a Pod names no queue", "give --queue NAME"
        faults.append(Fault(code="no-queue", span=root.span, message=message, hint=hint))
    if faults or shape.value is None:
        return with_faults(faults, source)
    submission = _of_pod(shape.value, queue=queue or "", namespace=namespace or "default")
    findings = problems_of(_findings(root, ("spec",)), source)
    submitted = Submitted(submission=submission, line=root.span.line, findings=findings)
    return Checked(value=(submitted,), problems=findings)


def check_jobs_file(root: Node, source: Source, *, queue: str | None = None) -> Checked[tuple[Submitted, ...]]:
    """Check a jobs file. ``queue`` is that of an option, empty if there is none; ``None``: it is only checked."""
    shape = check(JobsFileShape, root)
    listed = tuple(items(find(root, (JOBS_FIELD,))))
    faults = [*shape.faults, *_queue_faults(root, queue), *unstorable(root)]
    faults += [fault for number, item in listed for fault in _item_faults(root, item, (JOBS_FIELD, number))]
    if faults or shape.value is None:
        return with_faults(faults, source)
    found = tuple(
        _submitted(root, number, item, _of_item(shape.value, shape.value.jobs[number], queue or ""), source)
        for number, item in listed
    )
    return Checked(value=found, problems=tuple(problem for job in found for problem in job.findings))


def _submitted(root: Node, number: int, item: Node, submission: Submission, source: Source) -> Submitted:
    at: Steps = (JOBS_FIELD, number)
    findings = problems_of(_findings(root, _spec_at(item, at)), source)
    return Submitted(submission=submission, line=item.span.line, at=at, findings=findings)


def _item_faults(root: Node, item: Node, at: Steps) -> Iterator[Fault]:
    yield from item_faults(item, at=at)
    yield from _namespace_faults(root, (*at, "namespace"))
    given = [field for field in ("podSpec", "podSpecs") if find(item, (field,)) is not None]
    if len(given) != 1:
        both = "`podSpec` and `podSpecs` exclude each other" if given else "`podSpec` is required"
        yield Fault(code="no-pod-spec", span=item.span, path=write_path(at), message=both)
    yield from _spec_faults(root, _spec_at(item, at))


def _spec_at(item: Node, at: Steps) -> Steps:
    """The path of a job's only spec."""
    listed = isinstance(find(item, ("podSpecs",)), List)
    return (*at, "podSpecs", 0) if listed else (*at, "podSpec")


def _spec_faults(root: Node, at: Steps) -> Iterator[Fault]:
    spec = find(root, at)
    if spec is not None:
        yield from pod_spec_faults(spec, at=at)
        yield from spec_faults(spec, at=at)


def _name_faults(root: Node) -> Iterator[Fault]:
    node = find(root, ("metadata", "name"))
    name = text_at(node)
    if node is not None and name is not None:
        for error in validate_object_name(name, None):
            yield Fault(code=error.sort.value, span=node.span, path=error.field, message=error.body)


def _namespace_faults(root: Node, at: Steps) -> Iterator[Fault]:
    node = find(root, at)
    name = text_at(node)
    if node is not None and name is not None and not _NAMESPACE.fullmatch(name):
        message = f"{quote(name)} is no name of a namespace"
        hint = "a lower-case DNS label: a-z, 0-9 and -, at most 63 of them"
        yield Fault(code="invalid-value", span=node.span, path=write_path(at), message=message, hint=hint)


def _queue_faults(root: Node, queue: str | None) -> Iterator[Fault]:
    if queue is None:
        return
    node = find(root, ("queue",))
    written = text_at(node)
    if node is None and not queue:
        yield Fault(
            code="no-queue", span=root.span, path="queue", message="`queue` is required", hint="or give --queue NAME"
        )
    elif node is not None and written is not None and queue and written != queue:
        message = f"the file names the queue {quote(written)}, and --queue {quote(queue)}"
        yield Fault(code="other-queue", span=node.span, path="queue", message=message, hint="leave one of them out")


def _findings(root: Node, at: Steps) -> Iterator[Fault]:
    finder = Finder(root=root)
    if not finder.has((*at, "restartPolicy")):
        message = f"`restartPolicy` is {NEVER} for jobs, whatever the API server's default is"
        yield finder.finding(
            "restart-policy", message, at=(*at, "restartPolicy"), hint=f"write `restartPolicy: {NEVER}`"
        )


def _of_pod(shape: PodShape, *, queue: str, namespace: str) -> Submission:
    metadata = shape.metadata
    return Submission(
        queue=queue,
        namespace=namespace,
        name=metadata.name,
        client_id=f"{namespace}/{metadata.name}",
        pod_spec=_never_restarted(shape.spec),
        labels=metadata.labels or {},
        annotations=metadata.annotations or {},
        retry_policies=annotated(metadata.annotations or {}),
    )


def _of_item(file: JobsFileShape, job: JobItemShape, queue: str) -> Submission:
    specs = job.podSpecs or [job.podSpec or {}]
    return Submission(
        queue=file.queue or queue,
        job_set=file.jobSetId,
        namespace=job.namespace,
        client_id=job.clientId or "",
        priority=job.priority or 0.0,
        pod_spec=_never_restarted(specs[0]),
        labels=job.labels or {},
        annotations=job.annotations or {},
        retry_policies=annotated(job.annotations or {}),
    )


def _never_restarted(spec: dict[str, Any]) -> dict[str, Any]:
    return {**spec, "restartPolicy": NEVER}
