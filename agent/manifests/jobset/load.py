"""JobSets: documents checked for what JobSet and Kubernetes accept and what is supported here."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from agent.core.job.defaults import defaulted as defaulted_job
from agent.core.job.field_error import FieldError
from agent.core.job.manifest import JobManifest
from agent.core.job.naming import drawn_name
from agent.core.job.validation_name import validate_object_name
from agent.core.jobset.defaults import defaulted
from agent.core.jobset.gates import ALL_OFF, Gates
from agent.core.jobset.manifest import JobSet
from agent.core.jobset.reading import read_jobset_spec
from agent.core.jobset.validation import validate
from agent.core.jobset.words import JOB_SET_CONTROLLER, JobSetSpec
from agent.documents.checked import Checked, check_text, problems_of, with_faults
from agent.documents.grammar import MANIFEST
from agent.documents.node import Node, find, items, plain, text_at, write_path
from agent.documents.problem import quote
from agent.documents.shape import check
from agent.documents.source import Fault, Source
from agent.manifests.job.annotations import JobAnnotations, read_annotations
from agent.manifests.job.conditions import condition_faults
from agent.manifests.job.load import fault_at, unsupported, unsupported_fields
from agent.manifests.jobset.annotations import read_jobset_annotations
from agent.manifests.jobset.findings import findings
from agent.manifests.jobset.shapes import JobSetShape

KIND = "JobSet"

_GATE = re.compile(r"when (?P<gate>\w+) feature gate is disabled")
_UNSUPPORTED = {
    "network": "no services are made",
    "coordinator": "no services are made",
    "volumeClaimPolicies": "no volume claims are made",
    "scheduling": "pods are not scheduled here",
    "activeDeadlineSeconds": "each Job may have its own",
}
_AS_DEFAULTED: Mapping[str, object] = {"network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True}}
"""What the API server writes by default; a person did not ask for it, so it is accepted."""


def load_jobset(text: str | bytes, *, file: str, gates: Gates = ALL_OFF) -> JobSet:
    """Return the JobSet of a file. Raises ``ManifestError`` with every fault at once."""

    def with_gates(root: Node, source: Source) -> Checked[JobSet]:
        return check_jobset(root, source, gates=gates)

    return check_text(text, with_gates, file=file, grammar=MANIFEST).value_or_raise()


def is_jobset(root: Node) -> bool:
    """Return whether a document says that it is a JobSet."""
    return text_at(find(root, ("kind",))) == KIND


def check_jobset(
    root: Node, source: Source, *, gates: Gates = ALL_OFF, asking: Collection[str] | None = None
) -> Checked[JobSet]:
    """Check one document: its shape, what JobSet refuses, what is not supported here, then findings.

    ``asking`` as in ``check_job``.
    """
    shape = check(JobSetShape, root)
    faults = [*shape.faults, *_unsupported_fields(root), *_condition_faults(root, asking)]
    written = plain(find(root, ("spec",)) or root)
    if shape.value is None or not isinstance(written, Mapping):
        return with_faults(faults, source)
    spec = defaulted(read_jobset_spec(written))
    metadata = shape.value.metadata
    name = metadata.name or drawn_name(metadata.generateName or "")
    annotations = read_jobset_annotations(
        root, replicated_jobs=[replicated_job.name for replicated_job in spec.replicated_jobs]
    )
    of_jobs = [read_annotations(_template(root, place)) for place, _ in enumerate(spec.replicated_jobs)]
    faults += [*annotations.faults, *_template_faults(of_jobs)]
    named = validate_object_name(metadata.name, metadata.generateName)
    faults += [_fault(error, root) for error in (*named, *validate(name, spec, gates=gates))]
    if faults:
        return with_faults(faults, source)
    jobset = JobSet(
        name=name,
        namespace=metadata.namespace or "default",
        spec=spec,
        choices=annotations.choices,
        gates=gates,
        jobs=_jobs(spec, of_jobs),
    )
    return Checked(value=jobset, problems=problems_of(findings(jobset, root), source))


def _jobs(spec: JobSetSpec, annotations: list[JobAnnotations]) -> dict[str, JobManifest]:
    return {
        replicated_job.name: JobManifest(
            name=replicated_job.name,
            spec=defaulted_job(replicated_job.spec),
            choices=own.choices,
            rules=own.rules,
            policies=own.policies,
        )
        for replicated_job, own in zip(spec.replicated_jobs, annotations, strict=True)
    }


def _unsupported_fields(root: Node) -> Iterator[Fault]:
    """Yield the fields that upstream accepts and that are not supported here. They are refused, never ignored."""
    for field, why in _UNSUPPORTED.items():
        node = find(root, ("spec", field))
        if node is not None and plain(node) != _AS_DEFAULTED.get(field):
            yield unsupported(node.span, f"spec.{field}", f"`{field}` is not supported: {why}")
    manager = find(root, ("spec", "managedBy"))
    if manager is not None and text_at(manager) not in (None, JOB_SET_CONTROLLER):
        message = f"`managedBy` {quote(text_at(manager) or '')} is not supported: another controller owns the JobSet"
        yield unsupported(manager.span, "spec.managedBy", message)
    for place, replicated_job in items(find(root, ("spec", "replicatedJobs"))):
        path = f"spec.replicatedJobs[{place}]"
        group, before = find(replicated_job, ("groupName",)), find(replicated_job, ("dependsOn",))
        if group is not None and text_at(group) != "default":
            yield unsupported(group.span, f"{path}.groupName", "`groupName` is not supported: there are no groups")
        if before is not None:
            message = "`dependsOn` is not supported: `startupPolicy` starts replicated jobs in order"
            yield unsupported(before.span, f"{path}.dependsOn", message)
        template = find(replicated_job, ("template",))
        yield from _at_template(unsupported_fields(template) if template is not None else (), place)


def _condition_faults(root: Node, asking: Collection[str] | None) -> Iterator[Fault]:
    for place, replicated_job in items(find(root, ("spec", "replicatedJobs"))):
        template = find(replicated_job, ("template",))
        yield from _at_template(condition_faults(template, asking=asking) if template is not None else (), place)


def _template_faults(of_jobs: list[JobAnnotations]) -> Iterator[Fault]:
    for place, annotations in enumerate(of_jobs):
        yield from _at_template(annotations.faults, place)


def _at_template(faults: Iterable[Fault], place: int) -> Iterator[Fault]:
    prefix = write_path(("spec", "replicatedJobs", place, "template"))
    return (replace(fault, path=f"{prefix}.{fault.path}") for fault in faults)


def _template(root: Node, place: int) -> Node:
    return find(root, ("spec", "replicatedJobs", place, "template")) or root


def _fault(error: FieldError, root: Node) -> Fault:
    """Return an error of core at the position of its field. If a gate is off, the hint names the setting for it."""
    fault, gate = fault_at(error, root), _GATE.search(error.detail)
    if gate is None:
        return fault
    name = gate["gate"]
    hint = f"`jobSets.featureGates.{name}: true` in the scheduler's settings switches it on (failctl: --gate {name})"
    return replace(fault, code="gate-off", hint=hint)
