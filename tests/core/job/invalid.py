"""Invalid Jobs and statuses, as hypothesis draws them: what the API server refuses, and with which words."""

from typing import Any

from hypothesis import strategies as st

from tests.simulator.api import Json

NUMBERS = st.sampled_from((-1, 0, 1, 2, 3, 5, 10_000, 10_001, 100_000, 100_001, 2**31 - 1))
TEXTS_OF_INDEXES = st.one_of(
    st.sampled_from(
        ("", "0", "0-2", "0,1", "1-1", "2-1", "0-2-3", "0, 1", "a", "1,1", "3,2", "0-", "-1", "+1", "0,,2")
    ),
    st.sampled_from(("99999999999999999999", "0-99999999999999999999", "0,,2", "0,4-5", "100000", "00", "0-0001")),
)
NAMES = st.sampled_from(
    ("DisruptionTarget", "a.b/C", "A/B", "a/", "/a", "a/b/c", "-a", "a-", "", "a" * 64, "a" * 254 + "/b", "ä", "a b")
)
CODES = st.lists(st.sampled_from((-1, 0, 1, 2, 2, 42, 255, 256)), max_size=5)
EXIT_CODES = st.fixed_dictionaries(
    {},
    optional={
        "operator": st.sampled_from(("In", "NotIn", "", "in")),
        "values": st.one_of(CODES, st.just(list(range(1, 257)))),
        "containerName": st.sampled_from(("main", "before", "other", "")),
    },
)
CONDITIONS = st.lists(
    st.fixed_dictionaries({}, optional={"type": NAMES, "status": st.sampled_from(("True", "Maybe", "Unknown", ""))}),
    max_size=3,
)
RULES = st.fixed_dictionaries(
    {},
    optional={
        "action": st.sampled_from(("Ignore", "FailJob", "FailIndex", "Count", "Retry", "")),
        "onExitCodes": EXIT_CODES,
        "onPodConditions": st.one_of(CONDITIONS, st.just([{"type": "A"}] * 21)),
    },
)
SUCCESS_RULES = st.fixed_dictionaries(
    {},
    optional={
        "succeededIndexes": st.one_of(TEXTS_OF_INDEXES, st.just("0," * 40_000)),
        "succeededCount": st.sampled_from((-1, 0, 1, 3, 6)),
    },
)
MANAGERS = st.sampled_from(
    ("kubernetes.io/job-controller", "a.b/c", "", "a", "a/", "/b", "A.b/c", "a.b/c d", "a.b/c/d", "a.b/" + "c" * 60)
)
FIELDS = {
    "parallelism": NUMBERS,
    "completions": NUMBERS,
    "activeDeadlineSeconds": NUMBERS,
    "backoffLimit": NUMBERS,
    "backoffLimitPerIndex": NUMBERS,
    "maxFailedIndexes": NUMBERS,
    "ttlSecondsAfterFinished": NUMBERS,
    "completionMode": st.sampled_from(("Indexed", "Indexed", "NonIndexed", "indexed", "")),
    "suspend": st.booleans(),
    "managedBy": MANAGERS,
    "podReplacementPolicy": st.sampled_from(("Failed", "TerminatingOrFailed", "failed", "")),
    "podFailurePolicy": st.fixed_dictionaries(
        {}, optional={"rules": st.one_of(st.lists(RULES, max_size=3), st.just([{"action": "Count"}] * 21))}
    ),
    "successPolicy": st.fixed_dictionaries(
        {}, optional={"rules": st.one_of(st.lists(SUCCESS_RULES, max_size=3), st.just([{"succeededCount": 1}] * 21))}
    ),
}


@st.composite
def invalid_fields(draw: st.DrawFn, *, most: int) -> Json:
    """Draw some fields of a spec. A ``successPolicy`` without ``completions`` is left out: upstream panics on it."""
    names = draw(st.lists(st.sampled_from(sorted(FIELDS)), max_size=most, unique=True))
    fields: dict[str, Any] = {name: draw(FIELDS[name]) for name in names}
    if fields.get("completionMode") == "Indexed" and "completions" not in fields:
        fields.pop("successPolicy", None)
    return fields


@st.composite
def invalid_specs(draw: st.DrawFn) -> Json:
    """Draw a whole spec with a template that is fine but for its ``restartPolicy``."""
    pod: dict[str, Any] = {
        "containers": [{"name": "main", "image": "example"}],
        "initContainers": [{"name": "before", "image": "example"}],
    }
    restart = draw(st.sampled_from(("Never", "Never", "Never", "OnFailure", "Always", None)))
    if restart is not None:
        pod["restartPolicy"] = restart
    return {**draw(invalid_fields(most=7)), "template": {"spec": pod}}


LEFT_OUT = ""
SELECTORS = st.sampled_from((None, None, LEFT_OUT, "controller-uid", "job-name"))
"""What an updated selector looks for: what it did, nothing, or a label that the template has as well."""


NODES = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "Exists"}]}]}
PLACEMENT: dict[str, st.SearchStrategy[Any]] = {
    "nodeSelector": st.just({"zone": "a"}),
    "tolerations": st.just([{"key": "gpu", "operator": "Exists"}]),
    "schedulingGates": st.just([{"name": "example.com/wait"}]),
    "affinity": st.sampled_from(
        (
            {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": NODES}},
            {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]}},
        )
    ),
    "terminationGracePeriodSeconds": st.just(7),
}


def invalid_placements() -> st.SearchStrategy[Json]:
    """Draw changes of a template: of where pods run, and now and then of what else they are."""
    metadata = st.fixed_dictionaries({}, optional={"annotations": st.just({"a": "b"})})
    return st.fixed_dictionaries({"spec": st.fixed_dictionaries({}, optional=PLACEMENT), "metadata": metadata})


TIMES = st.sampled_from(("2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"))
COUNTS = st.sampled_from((-1, 0, 0, 1, 2))
ENDS = ("Complete", "Failed", "FailureTarget", "SuccessCriteriaMet", "Suspended")
UIDS = st.lists(st.sampled_from(("", "a", "b")), max_size=2)
CONDITION = st.fixed_dictionaries({"type": st.sampled_from(ENDS), "status": st.sampled_from(("True", "True", "False"))})
STATUSES = st.fixed_dictionaries(
    {
        "conditions": st.lists(
            st.fixed_dictionaries(
                {"type": st.sampled_from(ENDS), "status": st.sampled_from(("True", "True", "False"))}
            ),
            max_size=3,
            unique_by=lambda pattern: pattern["type"],
        )
    },
    optional={
        "active": COUNTS,
        "ready": COUNTS,
        "terminating": COUNTS,
        "succeeded": COUNTS,
        "failed": COUNTS,
        "completedIndexes": st.one_of(st.just("0"), TEXTS_OF_INDEXES),
        "failedIndexes": st.one_of(st.just("1"), TEXTS_OF_INDEXES),
        "startTime": TIMES,
        "completionTime": TIMES,
        "uncountedTerminatedPods": st.fixed_dictionaries({}, optional={"succeeded": UIDS, "failed": UIDS}),
    },
)
