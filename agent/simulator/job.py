"""A job and the pods of its runs, named and labelled as Armada's executor does it."""

import random
import string
import uuid
from dataclasses import dataclass, replace
from typing import Any, Final

from agent.simulator.assignment import SCRIPT_ANNOTATION
from agent.simulator.kinds import Json
from agent.simulator.patch import strategic_merge
from agent.simulator.plan import Plan
from agent.simulator.record import ARMADA_JOB, ARMADA_RUN
from agent.simulator.script import Script
from agent.simulator.webhook import with_injected

HOLD_LABEL: Final = "failure-agent.dev/hold"
FINALIZER: Final = "failure-agent.dev/reported"
CONTAINERS_ANNOTATION: Final = "failure-agent.dev/containers"
_ULID: Final = "".join(set(string.digits + string.ascii_lowercase) - set("ilou"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job and the run that is about to start: number ``run``, from 0."""

    job_id: str
    run_id: str
    run: int
    namespace: str
    queue: str
    job_set: str
    script: Script
    retries_left: int

    def next_run(self, rng: random.Random) -> "Job":
        return replace(self, run=self.run + 1, run_id=_run_id(rng), retries_left=self.retries_left - 1)

    def playing(self, script: Script) -> "Job":
        return replace(self, script=script)


def new_job(plan: Plan, script: Script, rng: random.Random) -> Job:
    queue = rng.choice(plan.queues)
    return Job(
        job_id="01" + "".join(rng.choices(sorted(_ULID), k=24)),
        run_id=_run_id(rng),
        run=0,
        namespace=rng.choice(plan.namespaces),
        queue=queue,
        job_set=f"{queue}-{rng.randrange(20):02d}",
        script=script,
        retries_left=plan.retries if _may_be_retried(plan, script) and rng.random() < plan.retried else 0,
    )


def _may_be_retried(plan: Plan, script: Script) -> bool:
    return not plan.again or script.kind in plan.again


def pod_of(job: Job, *, hold: bool) -> Json:
    """The pod to create for the job's run. ``hold``: with the label and the finalizer of the agent."""
    labels = {
        ARMADA_JOB: job.job_id,
        ARMADA_RUN: job.run_id,
        "armada_job_run_index": str(job.run),
        "armada_queue_id": job.queue,
        "armada_pod_number": "0",
        "armada_pod_count": "1",
    }
    annotations = {
        "armada_jobset_id": job.job_set,
        "armada_owner": "simulator",
        CONTAINERS_ANNOTATION: "main",
        SCRIPT_ANNOTATION: job.script.name,
    }
    metadata: dict[str, Any] = {"name": f"armada-{job.job_id}-{job.run}", "labels": labels, "annotations": annotations}
    if hold:
        labels[HOLD_LABEL] = "true"
        metadata["finalizers"] = [FINALIZER]
    return with_injected({"metadata": metadata, "spec": spec_for(job.script)}, job.script)


def spec_for(script: Script) -> Json:
    """The spec of a pod that can play the script, once the webhook has added what is ``injected``."""
    spec: Json = strategic_merge({"spec": _spec()}, script.pod)["spec"]
    return spec


def _spec() -> Json:
    resources = {"cpu": "4", "memory": "16Gi"}
    return {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 5,
        "schedulerName": "default-scheduler",
        "containers": [
            {
                "name": "main",
                "image": "registry.example/team/train:v3",
                "command": ["python", "train.py"],
                "resources": {"requests": resources, "limits": resources},
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "FallbackToLogsOnError",
            }
        ],
    }


def _run_id(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))
