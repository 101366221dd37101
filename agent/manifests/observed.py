"""What a cluster shows and nobody writes: pods with a status, lists, evidence. ``failctl classify`` reads it."""

from typing import Any, Final

from agent.documents.checked import Checked, with_faults
from agent.documents.node import Mapping, Node, find, text_at
from agent.documents.source import Fault, Source
from agent.manifests.submission.load import is_pod

_EVIDENCE: Final = ("pod", "logs", "message", "events", "event")
"""Keys of a failure with its evidence, any of which is enough."""

_LABELS: Final = "labels"


def is_observed(root: Node) -> bool:
    """Whether a document is a pod that a cluster has, a list of a cluster, or a failure with its evidence."""
    return is_pod_of_a_cluster(root) or _is_list(root) or _is_evidence(root)


def check_observed(root: Node, source: Source) -> Checked[Any]:
    """Refuse it, and say what reads it."""
    classify = f"`failctl classify -f {source.file}` says why pods failed"
    if is_pod_of_a_cluster(root):
        message = "a pod with a status is one that a cluster has, and nothing to lint"
        hint = f"{classify}; to submit it again, delete its `status` and `spec.nodeName`"
    elif _is_list(root):
        message, hint = "a list of objects is what a cluster shows, and nothing to lint", classify
    elif find(root, (_LABELS,)) is not None:
        message = "a failure with labels is an example of a rule, and nothing to lint"
        hint = f"`failctl evaluate {source.file} --rules FILE` tests rules with it"
    else:
        message, hint = "a failure with its evidence is nothing to lint", classify
    return with_faults([Fault(code="observed", span=root.span, message=message, hint=hint)], source)


def is_pod_of_a_cluster(root: Node) -> bool:
    """Whether a document is a Pod with a status."""
    status = find(root, ("status",))
    return is_pod(root) and isinstance(status, Mapping) and bool(status.entries)


def _is_list(root: Node) -> bool:
    kind = text_at(find(root, ("kind",))) or ""
    return kind.endswith("List") and find(root, ("items",)) is not None


def _is_evidence(root: Node) -> bool:
    return find(root, ("kind",)) is None and any(find(root, (key,)) is not None for key in _EVIDENCE)
