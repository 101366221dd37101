"""Outlines: what lists show of a failure, and which failure of a run is the reason that it failed. No database here."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict

from agent.core.failure import IN_RUN, Failure, Occurrence
from agent.core.failure_text.ending import exit_code
from agent.core.run_event import RunEvent
from agent.lookout.store.fitting import fit
from agent.store.columns import Row
from agent.store.failures import key_line

GONE: Final = frozenset({Occurrence.DELETED_EXTERNALLY, Occurrence.MISSING, Occurrence.LEASE_EXPIRED})
"""Occurrences that say that a pod is gone, and not why: any other failure of the run is a better reason."""


class Outline(Struct, frozen=True, gc=False, kw_only=True):
    """One failure of a run. ``amends`` is the event that it adds evidence to."""

    event_id: str
    run_id: str
    amends: str | None
    occurred_at: datetime
    observed_at: datetime
    occurrence: str
    category: str
    subcategory: str
    origin: str
    detail: dict[str, str]
    grade: str | None
    corroborated: bool | None
    exit_code: int | None
    container: str
    reason: str
    mechanism: str
    key_line: str
    fingerprint: str
    user_code_ran: bool | None
    categories: tuple[str, ...]

    @property
    def is_gone(self) -> bool:
        return self.occurrence in GONE


def outline(event: RunEvent, failure: Failure, *, amends: str | None) -> Outline:
    """The outline of a failure that an event reports."""
    given = failure.classification
    return Outline(
        event_id=fit("event_id", event.event_id),
        run_id=fit("run_id", event.identity.run_id),
        amends=None if amends is None else fit("amends", amends),
        occurred_at=event.occurred_at,
        observed_at=event.observed_at,
        occurrence=failure.occurrence.value,
        category=fit("category", given.category),
        subcategory=fit("subcategory", given.subcategory),
        origin=given.origin.value,
        detail={detail.key.value: fit("detail", detail.value) for detail in given.detail},
        grade=None if given.grade is None else given.grade.value,
        corroborated=given.corroborated,
        exit_code=exit_code(failure),
        container=fit("container", failure.culprit_container or failure.container_name),
        reason=fit("failure_reason", failure.termination_reason or failure.pod.reason),
        mechanism="" if given.mechanism is None else given.mechanism.value,
        key_line=fit("key_line", key_line(failure)),
        fingerprint=fit("fingerprint", failure.fingerprint),
        user_code_ran=failure.user_code.ran,
        categories=tuple(sorted({fit("category", name) for name in (given.category, *given.categories)})),
    )


class Chosen(Struct, frozen=True, gc=False):
    """Why a run failed. ``evidence`` is its ``failure``, or the latest that amends it."""

    failure: Outline
    evidence: Outline


def choose(outlines: Collection[Outline]) -> Chosen | None:
    """The first failure that says more than that the pod is gone, else the first; ``None`` if the run went on.

    The order of the outlines does not matter.
    """
    ends = [found for found in outlines if found.amends is None and found.occurrence not in IN_RUN]
    if not ends:
        return None
    first = min(ends, key=lambda end: (end.is_gone, end.occurred_at, end.event_id))
    amending = [found for found in outlines if found.amends == first.event_id]
    return Chosen(first, max(amending, key=lambda late: (late.observed_at, late.event_id), default=first))


_OF_EVIDENCE: Final = (
    *("category", "subcategory", "origin", "detail", "grade", "corroborated", "exit_code", "container", "reason"),
    *("mechanism", "key_line", "fingerprint", "user_code_ran"),
)
_NOTHING: Final[Row] = {
    **dict.fromkeys(("failure_id", "failed_at", "detail", "grade", "corroborated", "exit_code", "user_code_ran")),
    **dict.fromkeys(("occurrence", "category", "subcategory", "origin", "container", "reason", "mechanism"), ""),
    **dict.fromkeys(("key_line", "fingerprint"), ""),
}


def run_columns(chosen: Chosen | None) -> Row:
    """The columns of a run that say why it failed."""
    if chosen is None:
        return dict(_NOTHING)
    failure, evidence = chosen.failure, chosen.evidence
    row: Row = {name: getattr(evidence, name) for name in _OF_EVIDENCE}
    return {
        **row,
        "failure_id": failure.event_id,
        "failed_at": failure.occurred_at,
        "occurrence": failure.occurrence,
    }


def columns(found: Outline) -> dict[str, Any]:
    """The columns of a failure's own row."""
    return asdict(found)
