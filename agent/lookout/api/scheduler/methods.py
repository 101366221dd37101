"""The table of what is forwarded: which request leads to which call."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPMethod
from typing import Any, Final

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from agent.api.v1 import job_pb2, records_pb2, resources_pb2
from agent.manifests.resource.kind import Kind

_JOBS: Final = job_pb2.DESCRIPTOR.services_by_name["JobService"]
_RECORDS: Final = records_pb2.DESCRIPTOR.services_by_name["RecordService"]
_RESOURCES: Final = resources_pb2.DESCRIPTOR.services_by_name["ResourceService"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A request and the call it leads to.

    ``{name}`` in ``path`` is a field of the call's message, as are parameters of GET and DELETE, and the fields of the
    body of all others. ``fixed`` are fields that the path says in words. ``text`` names the field with documents of a
    person, in whose text an error has a place.
    """

    verb: HTTPMethod
    path: str
    summary: str
    service: ServiceDescriptor
    rpc: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    text: str | None = None

    @property
    def call(self) -> MethodDescriptor:
        found: MethodDescriptor = self.service.methods_by_name[self.rpc]
        return found

    @property
    def in_path(self) -> frozenset[str]:
        """The fields that the path has."""
        return frozenset(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @property
    def has_body(self) -> bool:
        return self.verb not in (HTTPMethod.GET, HTTPMethod.DELETE)


def _get(path: str, summary: str, service: ServiceDescriptor, rpc: str, **more: Any) -> Method:
    return Method(verb=HTTPMethod.GET, path=path, summary=summary, service=service, rpc=rpc, **more)


def _post(path: str, summary: str, service: ServiceDescriptor, rpc: str, **more: Any) -> Method:
    return Method(verb=HTTPMethod.POST, path=path, summary=summary, service=service, rpc=rpc, **more)


def _resources() -> Iterator[Method]:
    """The resources of each kind, and those of a text with documents of any kind."""
    for kind in Kind:
        word, base = kind.word, f"/{kind.listed.lower()}"
        fixed = {"kind": kind.number}
        yield _get(base, f"List every {word}", _RESOURCES, "ListResources", fixed=fixed)
        yield _get(f"{base}/{{name}}", f"Read one {word}", _RESOURCES, "GetResource", fixed=fixed)
        yield _get(
            f"{base}/{{name}}/versions",
            f"Read the history of one {word}",
            _RESOURCES,
            "ListResourceVersions",
            fixed=fixed,
        )
        yield _post(f"{base}/{{name}}/rollback", f"Roll back one {word}", _RESOURCES, "RollbackResource", fixed=fixed)
        yield Method(
            verb=HTTPMethod.DELETE,
            path=f"{base}/{{name}}",
            summary=f"Delete one {word}",
            service=_RESOURCES,
            rpc="DeleteResource",
            fixed=fixed,
        )
    for verb, rpc in (("create", "CreateResources"), ("update", "UpdateResources"), ("apply", "ApplyResources")):
        summary = f"{verb.capitalize()} the resources of a text, all or none"
        yield _post(f"/resources/{verb}", summary, _RESOURCES, rpc, text="text")


METHODS: Final = (
    *_resources(),
    _get("/policies/effective", "Read which retry policies decide about a job", _RECORDS, "GetEffectivePolicies"),
    _post("/policies/decide", "Decide scenarios by the policies in force", _RECORDS, "Decide", text="text"),
    _get("/explanations/{id}", "Read a job as the scheduler keeps it, with its verdicts", _RECORDS, "GetTimeline"),
    _post("/jobs/submit", "Submit the jobs of a text", _JOBS, "SubmitJobs", text="text"),
    _post("/jobs/standing", "Read how jobs stand, and why they wait", _JOBS, "GetJobs"),
    _get("/jobs/{job_id}/pod", "Read the pod of a job as it was submitted, without secrets", _JOBS, "GetSubmittedPod"),
    _post("/jobs/cancel", "Cancel jobs", _JOBS, "CancelJobs"),
    _post("/jobs/retry", "Grant each job one run outside all budgets", _JOBS, "RetryJobs"),
    _post("/jobs/never-retry", "Forbid further retries of jobs", _JOBS, "NeverRetryJobs"),
    _post("/runs/confirm-stopped", "Vouch that the pods of runs no longer live", _JOBS, "ConfirmRunsStopped"),
    _get("/orphans", "List the pods of runs that nobody started", _JOBS, "GetOrphans"),
)
