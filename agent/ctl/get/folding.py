"""Failures of one job that are the same, as one record with their count.

Without a batch system, pods of one workload are one job: those of a Job, of a ReplicaSet, of a StatefulSet.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from msgspec.structs import replace

from agent.ctl.pod_names import common_name

_SAME: Final = (
    *("cluster", "namespace", "job_id", "category", "subcategory", "origin", "corroborated", "grade", "exit_code"),
    *("container", "fingerprint", "occurrence", "action", "reason", "policy"),
)
"""What is equal in failures and verdicts that are one; each has most of it."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Records, newest first. Those that were the same are the newest of them, with the pods and nodes of all."""

    records: Sequence[Any]
    counts: Sequence[int]


def folded(records: Sequence[Any]) -> Fold:
    """Failures or verdicts, each kind of them once, where the newest of it was."""
    alike: dict[tuple[object, ...], list[Any]] = {}
    for record in records:
        alike.setdefault(tuple(getattr(record, name, None) for name in _SAME), []).append(record)
    return Fold([_one_of(group) for group in alike.values()], list(map(len, alike.values())))


def _one_of(group: Sequence[Any]) -> Any:  # noqa: ANN401 - a record of the kind that they have
    pods, nodes = ({getattr(record, name) for record in group} for name in ("pod_name", "node"))
    newest = group[0]
    pod = common_name(sorted(pods), f"{len(pods)} pods")
    return replace(newest, pod_name=pod, node=newest.node if len(nodes) == 1 else f"{len(nodes)} nodes")
