"""Jobs: ``batch/v1`` documents, checked for what Kubernetes accepts and what is supported here."""

import re
from collections.abc import Collection, Iterator, Mapping

from agent.core.job.defaults import defaulted
from agent.core.job.field_error import FieldError, invalid
from agent.core.job.manifest import JobManifest
from agent.core.job.naming import drawn_name
from agent.core.job.reading import read_spec
from agent.core.job.validation import validate_spec
from agent.core.job.validation_name import pod_host_fault, validate_object_name
from agent.core.job.words import FAIL_INDEX, JOB_CONTROLLER, JobSpec
from agent.documents.checked import Checked, check_text, problems_of, with_faults
from agent.documents.grammar import MANIFEST
from agent.documents.node import Node, PathStep, Span, find, plain, text_at
from agent.documents.problem import quote
from agent.documents.shape import check
from agent.documents.source import Fault, Source
from agent.manifests.job.annotations import JobAnnotations, read_annotations
from agent.manifests.job.conditions import condition_faults
from agent.manifests.job.findings import findings
from agent.manifests.job.shapes import JobShape

KIND = "Job"
UNSUPPORTED = "not-carried-out"
"""The code of a fault about a field that Kubernetes accepts."""

CONTROLLER_UIDS = ("batch.kubernetes.io/controller-uid", "controller-uid")
"""The labels by which a Job finds its pods: the current one and its predecessor."""

_STEP = re.compile(r"\[(?P<index>\d+)\]|(?P<key>[^.\[\]]+)")


def load_job(text: str | bytes, *, file: str) -> JobManifest:
    """Return the Job of a file. Raises ``ManifestError`` with every fault at once."""
    return check_text(text, check_job, file=file, grammar=MANIFEST).value_or_raise()


def is_job(root: Node) -> bool:
    """Return whether a document says that it is a Job."""
    return text_at(find(root, ("kind",))) == KIND


def check_job(root: Node, source: Source, *, asking: Collection[str] | None = None) -> Checked[JobManifest]:
    """Check one document: its shape, what the API server refuses, what is not supported here, then findings.

    ``asking`` are the categories that have a condition of their own, if it is known.
    """
    shape, annotations = check(JobShape, root), read_annotations(root)
    faults = [*shape.faults, *annotations.faults, *unsupported_fields(root), *condition_faults(root, asking=asking)]
    written = plain(find(root, ("spec",)) or root)
    if shape.value is None or not isinstance(written, Mapping):
        return with_faults(faults, source)
    spec = defaulted(read_spec(written))
    metadata = shape.value.metadata
    name = metadata.name or drawn_name(metadata.generateName or "")
    named = validate_object_name(metadata.name, metadata.generateName)
    errors = (*named, *validate_spec(spec), *_host_name_errors(name, spec), *_rules_need_limit(annotations, spec))
    faults += [fault_at(error, root) for error in errors]
    if faults:
        return with_faults(faults, source)
    job = JobManifest(
        name=name,
        namespace=metadata.namespace or "default",
        spec=spec,
        choices=annotations.choices,
        rules=annotations.rules,
        policies=annotations.policies,
    )
    return Checked(value=job, problems=problems_of(findings(job, root), source))


def unsupported_fields(root: Node) -> Iterator[Fault]:
    """Yield the fields that Kubernetes accepts and that are not supported here. They are refused, never ignored."""
    manager = find(root, ("spec", "managedBy"))
    if manager is not None and text_at(manager) not in (None, JOB_CONTROLLER):
        message = f"`managedBy` {quote(text_at(manager) or '')} is not supported: another controller owns the Job"
        yield unsupported(manager.span, "spec.managedBy", message)
    selector = find(root, ("spec", "selector"))
    if selector is not None and plain(selector) not in _generated_selectors(root):
        yield unsupported(selector.span, "spec.selector", "`selector` is not supported: pods are found by their Job")
    manual = find(root, ("spec", "manualSelector"))
    if manual is not None and plain(manual) is True:
        message = "`manualSelector` is not supported: pods are found by their Job"
        yield unsupported(manual.span, "spec.manualSelector", message)


def _generated_selectors(root: Node) -> tuple[object, ...]:
    """Return the selectors that the API server writes itself, as ``kubectl get -o yaml`` prints it."""
    uid = text_at(find(root, ("metadata", "uid")))
    return (None, *({"matchLabels": {label: uid}} for label in CONTROLLER_UIDS if uid))


def unsupported(span: Span, path: str, message: str) -> Fault:
    """Return the fault of a field that is not supported here."""
    return Fault(code=UNSUPPORTED, span=span, path=path, message=message, hint="leave it out")


def _host_name_errors(name: str, spec: JobSpec) -> Iterator[FieldError]:
    if spec.indexed and (spec.completions or 0) > 0:
        reason = pod_host_fault(name, spec.completions or 0)
        if reason is not None:
            yield invalid("metadata.name", name, reason)


def _rules_need_limit(annotations: JobAnnotations, spec: JobSpec) -> Iterator[FieldError]:
    if spec.backoff_limit_per_index is None and any(rule.action == FAIL_INDEX for rule in annotations.rules):
        yield invalid("metadata.annotations", FAIL_INDEX, "requires the backoffLimitPerIndex to be set")


def fault_at(error: FieldError, root: Node) -> Fault:
    """Return an error of core as a fault at the position of its field, or of the nearest node around it."""
    steps: list[PathStep] = [
        int(found["index"]) if found["index"] is not None else found["key"] for found in _STEP.finditer(error.field)
    ]
    node = next(found for end in range(len(steps), -1, -1) if (found := find(root, steps[:end])) is not None)
    return Fault(code=error.sort.value, span=node.span, path=error.field, message=error.body)
