"""The names in settings: of clusters, of Kubernetes objects and of the broker's subscriptions."""

from typing import Annotated

from pydantic import AfterValidator

from agent.settings.base import Spelling


def _not_reserved(name: str) -> str:
    if name.endswith(("-dlq", "-replay")):
        raise ValueError("must not end in -dlq or -replay, because names of dead-letter topics do")
    return name


ClusterName = Annotated[
    str,
    Spelling(
        "1 to 63 of a-z, 0-9, - and .",
        pattern=r"^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$",
        refusal="not a name for a cluster; write 1 to 63 of a-z, 0-9, - and ., first and last one of a-z and 0-9",
    ),
    AfterValidator(_not_reserved),
]
"""A name people know a cluster by; part of a topic's name."""

ContainerPattern = Annotated[
    str,
    Spelling(
        "shell pattern",
        pattern=r"^[-a-z0-9*?\[\]!]{1,63}$",
        refusal="not a shell pattern of container names; write 1 to 63 of a-z, 0-9, -, *, ?, [, ] and !",
    ),
]
"""A shell pattern of container names."""

SubscriptionName = Annotated[
    str,
    Spelling(
        "1 to 63 of a-z, 0-9 and -",
        pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
        refusal="not a name for a subscription; write 1 to 63 of a-z, 0-9 and -, first and last one of a-z and 0-9",
    ),
]
"""The name of a subscription; part of the name of its dead-letter topic."""

PodNamePrefix = Annotated[
    str,
    Spelling(
        "up to 30 of a-z, 0-9 and -, or empty",
        pattern=r"^([a-z0-9][-a-z0-9]{0,29})?$",
        refusal="not what a pod's name may begin with; write up to 30 of a-z, 0-9 and -, first one of a-z and 0-9",
    ),
]
"""What the names of pods begin with."""

LabelKey = Annotated[
    str,
    Spelling(
        "label key",
        pattern=r"^([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$",
        refusal="not the key of a label; write NAME or PREFIX/NAME, as app.kubernetes.io/name",
    ),
]
"""The key of a label."""

ObjectName = Annotated[
    str,
    Spelling(
        "name of a Kubernetes object",
        pattern=r"^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$",
        refusal="not a name that Kubernetes takes; write 1 to 253 of a-z, 0-9, - and ., first and last one of a-z "
        "and 0-9",
    ),
]
"""The name of an object of Kubernetes."""

NamespaceName = Annotated[
    str,
    Spelling(
        "namespace",
        pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
        refusal="not the name of a namespace; write 1 to 63 of a-z, 0-9 and -, first and last one of a-z and 0-9",
    ),
]
"""A namespace's name."""
