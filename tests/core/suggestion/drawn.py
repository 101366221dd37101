"""Jobs and JobSets with any rules of their own, as hypothesis draws them; the API server takes each."""

from typing import Any

from hypothesis import strategies as st

from agent.core.identity.conditions import HOPELESS, INFRASTRUCTURE
from agent.core.suggestion.rules import DISRUPTION_TARGET
from tests.core.job.drawn import jobs

OURS = st.builds(
    lambda action, types: {"action": action, "onPodConditions": [{"type": kind, "status": "True"} for kind in types]},
    st.sampled_from(("Ignore", "FailJob", "Count")),
    st.lists(st.sampled_from((HOPELESS, INFRASTRUCTURE, DISRUPTION_TARGET, "Ready")), min_size=1, max_size=2),
)
MAKES_TOGETHER: tuple[dict[str, str], ...] = ({}, {"subdomain": "workers"})
JOBSET_RULES = st.builds(
    lambda action, reasons: {"action": action, "onJobFailureReasons": reasons},
    st.sampled_from(("FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts")),
    st.lists(st.sampled_from(("PodFailurePolicy", "BackoffLimitExceeded")), max_size=2, unique=True),
)


@st.composite
def specs(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the spec of a Job with zero to three rules on conditions among others, or none at all."""
    spec = draw(jobs()).spec
    if "podFailurePolicy" in spec:
        for rule in draw(st.lists(OURS, max_size=3)):
            rules = spec["podFailurePolicy"]["rules"]
            rules.insert(draw(st.integers(0, len(rules))), rule)
    elif draw(st.booleans()):
        spec["template"]["spec"]["restartPolicy"] = "OnFailure"
    spec["template"]["spec"] |= draw(st.sampled_from(MAKES_TOGETHER))
    return spec


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a Job."""
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train"}, "spec": draw(specs())}


@st.composite
def jobsets(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a JobSet of one or two replicated jobs."""
    spec: dict[str, Any] = {
        "replicatedJobs": [
            {"name": f"part{number}", "template": {"spec": {"completionMode": "NonIndexed", **template}}}
            for number, template in enumerate(draw(st.lists(specs(), min_size=1, max_size=2)))
        ]
    }
    policy = draw(st.none() | st.fixed_dictionaries({}, optional={"rules": st.lists(JOBSET_RULES, max_size=2)}))
    if policy is not None:
        spec["failurePolicy"] = policy
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "train"},
        "spec": spec,
    }
