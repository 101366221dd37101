"""The cells of a diagnosis in a table, and pods of one workload that have the same ones."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agent.console.terminal import visible
from agent.core.failure import Failure
from agent.core.failure_text.category import leaf
from agent.core.failure_text.fault import marked_origin
from agent.ctl.classify.headline import headline
from agent.ctl.classify.layout import CATEGORY, COUNT, POD, WHAT, Row
from agent.ctl.classify.totals import IN_WORDS
from agent.ctl.classify.waiting import awaited, container, since
from agent.ctl.pod_names import common_name, qualified
from agent.diagnose.diagnosis import Diagnosis, State
from agent.observe.waiting.wait import Waiting

NORMAL: Final = (POD, CATEGORY, "FAULT", "GRADE", "RETRY", "CONTAINER", "EXIT", WHAT)
WIDE: Final = (*NORMAL[:-1], "NODE", WHAT, "HINT")
_ADVICE, _VERDICT = "RETRY", "VERDICT"
_FAILED: Final = ("FAULT", "GRADE", _ADVICE, _VERDICT, "CONTAINER", "EXIT", CATEGORY)
"""What is equal in failures that are folded, next to their fingerprints."""


def with_verdicts(headings: Sequence[str]) -> Sequence[str]:
    """The columns where retry policies were asked: what they decide takes the place of what rules advise."""
    return [_VERDICT if name == _ADVICE else name for name in headings]


def with_counts(headings: Sequence[str]) -> Sequence[str]:
    """The columns where a line may be about several pods."""
    return [headings[0], COUNT, *headings[1:]]


def row_of(diagnosis: Diagnosis) -> Row:
    """The cells of one diagnosis, in every column there is."""
    cells = _unfailed(diagnosis) if diagnosis.failure is None else _failed(diagnosis, diagnosis.failure)
    return {name: visible(cells.get(name) or "-") for name in (*WIDE, _VERDICT)}


def _verdict(diagnosis: Diagnosis) -> str:
    if diagnosis.foreseen is None:
        return ""
    from agent.ctl.classify.verdict import cell  # noqa: PLC0415 - who asks for no verdict imports nothing that decides

    return cell(diagnosis.foreseen)


def _unfailed(diagnosis: Diagnosis) -> Row:
    wait = diagnosis.wait
    cells = {POD: diagnosis.name, CATEGORY: IN_WORDS[diagnosis.state], "NODE": diagnosis.node}
    if isinstance(wait, Waiting):
        began = "".join(f" since {text}" for text in since(wait))
        category = leaf(IN_WORDS[State.WAITS], wait.kind)
        return cells | {
            CATEGORY: category,
            "CONTAINER": container(wait),
            WHAT: f"for {awaited(wait)}{began}: {wait.because}",
        }
    return cells | {WHAT: diagnosis.reason if wait is None else wait.why}


def _failed(diagnosis: Diagnosis, failure: Failure) -> Row:
    first, found = headline(diagnosis, failure), failure.classification
    return {
        POD: first.name,
        CATEGORY: first.category,
        "FAULT": marked_origin(found.origin, corroborated=found.corroborated),
        "GRADE": found.grade or "",
        _ADVICE: first.advice or "",
        _VERDICT: _verdict(diagnosis),
        "CONTAINER": first.container,
        "EXIT": "" if first.exit_code is None else str(first.exit_code),
        "NODE": first.node,
        WHAT: first.what,
        "HINT": first.hint,
    }


@dataclass(slots=True)
class _Alike:
    """Pods of one workload to which the same happened: the cells of the first, and the names of all."""

    cells: tuple[str, ...]
    pods: list[str] = field(default_factory=list)


def folded(diagnoses: Iterable[Diagnosis], headings: Sequence[str]) -> Sequence[Row]:
    """A row for pods of one workload to which the same happened, where the first of them was."""
    alike: dict[Hashable, _Alike] = {}
    for number, diagnosis in enumerate(diagnoses):
        row = row_of(diagnosis)
        key = _same(diagnosis, row) if diagnosis.owners else number
        alike.setdefault(key, _Alike(tuple(row[name] for name in headings))).pods.append(row[POD])
    return [
        {**dict(zip(headings, group.cells, strict=True)), POD: _name(group.pods), COUNT: f"{len(group.pods):,}"}
        for group in alike.values()
    ]


def _same(diagnosis: Diagnosis, row: Mapping[str, str]) -> Hashable:
    namespace, _, _ = diagnosis.name.rpartition("/")
    if diagnosis.failure is not None:
        said = diagnosis.failure.fingerprint or row[WHAT]
        return namespace, diagnosis.owners[-1], said, *(row[name] for name in _FAILED)
    wait = diagnosis.wait
    because = wait.because if isinstance(wait, Waiting) else row[WHAT]
    return namespace, diagnosis.owners[-1], row[CATEGORY], row["CONTAINER"], because


def _name(pods: Sequence[str]) -> str:
    """The name of a pod, or what the names of several have in common; all are in one namespace."""
    if len(pods) == 1:
        return pods[0]
    namespace, _, _ = pods[0].rpartition("/")
    return qualified(namespace, common_name([pod.rpartition("/")[2] for pod in pods], f"{len(pods)} pods"))
