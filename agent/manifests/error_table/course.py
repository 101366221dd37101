"""Failures of a job, one after the other, to try an error table on."""

from collections.abc import Iterator
from typing import Annotated

from msgspec.structs import replace
from pydantic import Field

from agent.core.classify.followers import deciding_containers
from agent.core.error_table.codes import ErrorCodes, errors_of
from agent.core.error_table.expression import RunSurroundings, attributes_of
from agent.core.error_table.given import JobError
from agent.core.error_table.play import Course
from agent.core.exit_status import ending_signal
from agent.core.failure import Failure
from agent.core.retry.target import first_failed
from agent.documents.checked import Checked, check_text, with_faults
from agent.documents.node import Mapping, Node, Span, find, items
from agent.documents.shape import Shape, check
from agent.documents.source import Fault, Source
from agent.manifests.error_table.shapes import Filled
from agent.manifests.retry.scenario import failure_of
from agent.manifests.retry.scenario_shapes import FailureShape


class JobErrorShape(Shape):
    """One error, as an error source would give it."""

    source: Filled
    code: int
    diag: str = ""


class FailedShape(Shape):
    """One failure, repeated ``times`` times: its errors, or the pod's failure, which error codes turn into errors."""

    errors: Annotated[list[JobErrorShape], Field(min_length=1)] | None = None
    failure: FailureShape | None = None
    times: Annotated[int, Field(ge=1, le=10_000)] = 1


class CourseShape(Shape):
    """A whole document. Labels and annotations, from which attributes are read, are written as on the run."""

    maxAttempt: Annotated[int, Field(ge=1)] | None = None
    nodeLabels: dict[str, str] | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    queueId: int | None = None
    failures: Annotated[list[FailedShape], Field(min_length=1)]


def load_course(text: str | bytes, *, file: str, codes: ErrorCodes) -> Course:
    """Return the course of a file. Raises ``ManifestError`` with every fault at once."""
    return check_text(text, lambda root, source: check_course(root, source, codes=codes), file=file).value_or_raise()


def is_course(root: Node) -> bool:
    """Return whether a document looks like failures of a job for an error table, not for retry policies."""
    found = (
        entry.key
        for _, failure in items(find(root, ("failures",)))
        if isinstance(failure, Mapping)
        for entry in failure.entries
    )
    return any(key in FailedShape.model_fields and key != "times" for key in found)


def check_course(root: Node, source: Source, *, codes: ErrorCodes) -> Checked[Course]:
    shape = check(CourseShape, root)
    if shape.value is None:
        return with_faults(shape.faults, source)
    faults = list(_errors_or_failure(shape.value, root))
    if faults:
        return with_faults(faults, source)
    return Checked(value=_course(shape.value, codes), problems=())


def _errors_or_failure(shape: CourseShape, root: Node) -> Iterator[Fault]:
    for number, failure in enumerate(shape.failures):
        if (failure.errors is None) == (failure.failure is None):
            at = find(root, ("failures", number))
            span = Span(line=1, column=1) if at is None else at.span
            message = "a failure must have either `errors` or `failure`"
            yield Fault(code="not-one", span=span, path=f"failures[{number}]", message=message)


def _course(shape: CourseShape, codes: ErrorCodes) -> Course:
    surroundings = RunSurroundings(
        node_labels=shape.nodeLabels or {},
        pod_labels=shape.labels or {},
        pod_annotations=shape.annotations or {},
        queue_id=shape.queueId,
    )
    failures = [_errors(failure, codes) for failure in shape.failures for _ in range(failure.times)]
    attributes = attributes_of(surroundings, codes.attributes)
    return Course(failures=tuple(failures), attributes=attributes, max_attempt=shape.maxAttempt)


def _errors(shape: FailedShape, codes: ErrorCodes) -> tuple[JobError, ...]:
    if shape.failure is not None:
        return errors_of(_with_container_end(failure_of(shape.failure)), codes.errors)
    return tuple(JobError(source=error.source, code=error.code, diag=error.diag) for error in shape.errors or ())


def _with_container_end(failure: Failure) -> Failure:
    """Return the failure with the end of its first failed container filled in, as the agent reports it."""
    found = first_failed(deciding_containers(failure))
    if found is None:
        return failure
    container, state = found
    return replace(
        failure,
        exit_code=state.exit_code,
        termination_message=state.message,
        container_name=container.name,
        termination_reason=state.reason,
        signal=ending_signal(state),
    )
