"""Failures that diagnoses found, counted by columns as ``failctl get`` counts the failures of a store."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from agent.core.failure import Failure
from agent.ctl.classify.headline import headline
from agent.diagnose.diagnosis import Diagnosis
from agent.store.records.groups import Counts, Value, nested


def counted(diagnoses: Iterable[Diagnosis], by: Sequence[str]) -> Counts:
    """All failures by the values of the columns ``by``; what has not failed is not counted."""
    rows: Counter[tuple[Value, ...]] = Counter()
    for diagnosis in diagnoses:
        if diagnosis.failure is not None:
            values = _values(diagnosis, diagnosis.failure)
            rows[tuple(values[name] for name in by)] += 1
    return nested(rows.items(), tuple(by), limit=len(rows), since=None, until=None)


def _values(diagnosis: Diagnosis, failure: Failure) -> Mapping[str, Value]:
    found, first = failure.classification, headline(diagnosis, failure)
    namespace, _, _ = diagnosis.name.rpartition("/")
    return {
        "category": found.category,
        "subcategory": found.subcategory,
        "origin": found.origin.value,
        "grade": None if found.grade is None else found.grade.value,
        "exit_code": first.exit_code,
        "container": first.container,
        "fingerprint": failure.fingerprint,
        "owner": diagnosis.owners[-1] if diagnosis.owners else None,
        "namespace": namespace,
        "node": first.node,
    }
