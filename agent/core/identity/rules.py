"""Identity rules: where pods of each kind of workload say which run they belong to (docs/occurrences.md).

Sources: armada internal/executor/domain and pkg/constants; kubernetes staging/src/k8s.io/api/batch/v1/types.go;
jobset api/jobset/v1alpha2/jobset_types.go; kueue pkg/controller/jobs/pod/constants and pkg/controller/constants;
argo-workflows workflow/common/common.go; volcano staging/src/volcano.sh/apis/pkg/apis/batch/v1alpha1/labels.go and
scheduling/v1beta1/labels.go; kuberay ray-operator/controllers/ray/utils/constant.go.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from agent.core.identity import labels
from agent.core.identity.expression import Expression, parse_expression

Expressions = tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """Containers, by shell patterns of their names, that a system adds to pods for which ``when`` is not empty."""

    when: Expression
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityRules:
    """The expressions for each part of an identity: the first that is not empty counts.

    ``job_set`` is the name for people; ``job_set_id`` that of a Kubernetes JobSet, which is decided together.
    ``containers`` give the names of the submitted containers, separated by commas. ``deletion`` is not empty if the
    system that created the pod requested its deletion.
    """

    job: Expressions = ()
    run: Expressions = ()
    queue: Expressions = ()
    job_set: Expressions = ()
    job_set_id: Expressions = ()
    gang: Expressions = ()
    attempt: Expressions = ()
    index: Expressions = ()
    containers: Expressions = ()
    deletion: Expressions = ()
    added: tuple[Added, ...] = ()


class PresetName(StrEnum):
    """The system that created a pod."""

    FAILURE_AGENT = "failure-agent"
    ARMADA = "armada"
    JOBSET = "jobset"
    JOB = "job"
    KUEUE = "kueue"
    ARGO = "argo"
    VOLCANO = "volcano"
    RAY = "ray"


def _at(*texts: str) -> Expressions:
    return tuple(map(parse_expression, texts))


def _adds(when: str, *patterns: str) -> tuple[Added, ...]:
    return (Added(when=parse_expression(when), patterns=patterns),)


PRESETS: Final[Mapping[PresetName, IdentityRules]] = MappingProxyType(
    {
        PresetName.FAILURE_AGENT: IdentityRules(
            job=_at(f"{{label:{labels.JOB}}}"),
            run=_at(f"{{label:{labels.RUN}}}"),
            queue=_at(f"{{label:{labels.QUEUE}}}"),
            job_set=_at(f"{{annotation:{labels.JOB_SET}}}"),
            attempt=_at(f"{{label:{labels.RUN_INDEX}}}"),
        ),
        PresetName.ARMADA: IdentityRules(
            job=_at("{label:armada_job_id}"),
            run=_at("{label:armada_job_run_id}"),
            queue=_at("{label:armada_queue_id}"),
            job_set=_at("{annotation:armada_jobset_id}"),
            gang=_at("{annotation:armadaproject.io/gangId}"),
            attempt=_at("{label:armada_job_run_index}"),
            deletion=_at("{label:armada_job_id}{annotation:deletion_requested}"),
        ),
        PresetName.JOBSET: IdentityRules(
            job_set=_at("{label:jobset.sigs.k8s.io/jobset-name}", "{annotation:jobset.sigs.k8s.io/jobset-name}"),
            job_set_id=_at("{label:jobset.sigs.k8s.io/jobset-uid}", "{annotation:jobset.sigs.k8s.io/jobset-uid}"),
        ),
        PresetName.JOB: IdentityRules(
            job=_at("{owner:batch/Job.uid}"),
            index=_at(
                "{label:batch.kubernetes.io/job-completion-index}",
                "{annotation:batch.kubernetes.io/job-completion-index}",
            ),
        ),
        PresetName.KUEUE: IdentityRules(
            queue=_at("{label:kueue.x-k8s.io/queue-name}", "{label:kueue.x-k8s.io/local-queue-name}"),
            gang=_at("{namespace}/{label:kueue.x-k8s.io/pod-group-name}"),
            index=_at("{label:kueue.x-k8s.io/pod-group-pod-index}"),
        ),
        PresetName.ARGO: IdentityRules(
            job=_at("{owner:argoproj.io/Workflow.uid}"),
            job_set=_at("{label:workflows.argoproj.io/workflow}"),
            added=_adds("{label:workflows.argoproj.io/workflow}", "init", "wait"),
        ),
        PresetName.VOLCANO: IdentityRules(
            job=_at("{owner:batch.volcano.sh/Job.uid}"),
            queue=_at("{annotation:volcano.sh/queue-name}", "{label:volcano.sh/queue-name}"),
            job_set=_at("{annotation:volcano.sh/job-name}"),
            gang=_at(
                "{namespace}/{annotation:scheduling.k8s.io/group-name}",
                "{namespace}/{annotation:scheduling.volcano.sh/group-name}",
            ),
            index=_at("{annotation:volcano.sh/task-index}"),
        ),
        PresetName.RAY: IdentityRules(
            job=_at("{owner:ray.io/RayCluster.uid}"),
            job_set=_at("{label:ray.io/originated-from-cr-name}", "{label:ray.io/cluster}"),
            added=_adds("{label:ray.io/cluster}", "autoscaler", "wait-gcs-ready"),
        ),
    }
)

ANY_POD: Final = IdentityRules(
    job=_at("{owner.uid}", "{uid}"), run=_at("{uid}"), containers=_at(f"{{annotation:{labels.CONTAINERS}}}")
)
"""For pods of unknown systems: they belong to their controlling owner, else to themselves."""


def combine(rules: Iterable[IdentityRules]) -> IdentityRules:
    """All rules as one: for each part, the expressions of earlier rules come first."""
    given = tuple(rules)
    return IdentityRules(
        **{
            part.name: tuple(expression for rules in given for expression in getattr(rules, part.name))
            for part in fields(IdentityRules)
        }
    )


DEFAULT: Final = combine((*PRESETS.values(), ANY_POD))
"""All presets in their order, then the rules for any pod."""
