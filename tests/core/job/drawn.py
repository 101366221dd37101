"""Jobs, and what happens to their pods, as hypothesis draws them."""

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.simulator.api import Json

CODES = (1, 2, 7, 42)
ENDINGS = ("succeed", "exit", "disrupt", "disrupt", "exit", "exit")


@dataclass(frozen=True)
class Blow:
    """What becomes of one living pod, chosen by its place among them; or of the spec, to whose field ``place`` goes.

    ``sweep`` deletes one of those that have ended.
    """

    kind: str
    place: int = 0
    code: int = 1


@dataclass(frozen=True)
class Drawn:
    """A Job's spec, and the sets of what happens, one after the other."""

    spec: Json
    steps: list[list[Blow]] = field(default_factory=list)
    lingering: bool = False


RULES = st.one_of(
    st.builds(
        lambda action, values, operator, container: {
            "action": action,
            "onExitCodes": {"operator": operator, "values": sorted(values), **container},
        },
        st.sampled_from(("FailJob", "Ignore", "Count", "FailIndex")),
        st.sets(st.sampled_from(CODES), min_size=1, max_size=2),
        st.sampled_from(("In", "In", "NotIn")),
        st.sampled_from(({}, {}, {"containerName": "main"})),
    ),
    st.builds(
        lambda action: {"action": action, "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
        st.sampled_from(("Ignore", "FailJob", "Count", "FailIndex")),
    ),
)

BLOWS = st.one_of(
    st.builds(Blow, st.sampled_from(ENDINGS), st.integers(0, 3), st.sampled_from(CODES)),
    st.builds(Blow, st.sampled_from(("run", "ready", "delete", "restart", "tear down", "sweep")), st.integers(0, 3)),
)
STEPS = st.one_of(
    st.lists(BLOWS, min_size=1, max_size=1),
    st.lists(BLOWS, min_size=1, max_size=1),
    st.lists(BLOWS, min_size=2, max_size=3, unique_by=lambda blow: blow.place),
    st.sampled_from(([Blow("suspend")], [Blow("resume")])),
    st.builds(
        lambda kind, value: [Blow(kind, value)],
        st.sampled_from(("parallelism", "scale", "backoffLimit", "maxFailedIndexes", "podReplacementPolicy")),
        st.integers(0, 5),
    ),
)


def patch_of(blow: Blow) -> Json | None:
    """What a blow changes in the spec, if it strikes the spec and no pod."""
    match blow.kind:
        case "suspend" | "resume":
            return {"suspend": blow.kind == "suspend"}
        case "scale":
            return {"completions": blow.place, "parallelism": blow.place}
        case "parallelism" | "backoffLimit" | "maxFailedIndexes":
            return {blow.kind: blow.place}
        case "podReplacementPolicy":
            return {blow.kind: ("Failed", "TerminatingOrFailed")[blow.place % 2]}
        case _:
            return None


@st.composite
def success_rules(draw: st.DrawFn, completions: int) -> Json:
    """Draw a rule of a success policy: so many of all indexes, some indexes, or so many of those."""
    indexes = sorted(draw(st.sets(st.integers(0, completions - 1))))
    if not indexes:
        return {"succeededCount": draw(st.integers(1, completions))}
    count = draw(st.none() | st.integers(1, len(indexes)))
    named = {"succeededIndexes": ",".join(map(str, indexes))}
    return named if count is None else {**named, "succeededCount": count}


@st.composite
def indexed_fields(draw: st.DrawFn) -> Json:
    """Draw what makes a Job Indexed."""
    completions = draw(st.integers(1, 4))
    fields = {"completionMode": "Indexed", "completions": completions}
    if draw(st.integers(0, 3)):
        return fields
    return {**fields, "successPolicy": {"rules": draw(st.lists(success_rules(completions), min_size=1, max_size=2))}}


@st.composite
def jobs(draw: st.DrawFn) -> Drawn:
    """Draw a Job that the API server takes, and up to six sets of what happens to it."""
    indexed = draw(st.booleans())
    per_index = indexed and draw(st.booleans())
    policy = draw(st.one_of(st.none(), st.lists(RULES, max_size=3)))
    lingering = draw(st.booleans())
    spec: dict[str, Any] = {"parallelism": draw(st.integers(1, 4) | st.integers(0, 4))}
    if indexed:
        spec |= draw(indexed_fields())
    elif draw(st.booleans()):
        spec["completions"] = draw(st.integers(1, 4))
    if per_index:
        spec["backoffLimitPerIndex"] = draw(st.integers(0, 2))
        if draw(st.booleans()):
            spec["maxFailedIndexes"] = draw(st.integers(0, spec["completions"]))
    if not per_index or draw(st.booleans()):
        spec["backoffLimit"] = draw(st.integers(0, 4))
    restart = "Never" if policy is not None else draw(st.sampled_from(("Never", "OnFailure")))
    if policy is not None:
        rules = [rule for rule in policy if per_index or rule["action"] != "FailIndex"]
        spec["podFailurePolicy"] = {"rules": rules}
    elif draw(st.booleans()):
        spec["podReplacementPolicy"] = "Failed"
    if draw(st.integers(0, 7)) == 0:
        spec["suspend"] = True
    pod: dict[str, Any] = {"restartPolicy": restart, "containers": [{"name": "main", "image": "example"}]}
    if lingering:
        pod["nodeName"] = "nowhere"
    spec["template"] = {"spec": pod}
    return Drawn(spec=spec, steps=draw(st.lists(STEPS, min_size=1, max_size=6)), lingering=lingering)
