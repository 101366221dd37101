"""Failures reported a moment ago, which late evidence may still amend: bounded, by pod. No I/O."""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.cluster.evidence.case import Case
from agent.core.failure import IN_RUN, Classification
from agent.core.summary.summary import AMEND_WITHIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """A case as it was reported. ``until``: when it can no longer be amended."""

    case: Case
    given: Classification
    until: datetime


class Amendments:
    """What was reported in the last ``within``, at most ``at_most``: the oldest give way to new ones."""

    def __init__(self, *, at_most: int, within: timedelta = AMEND_WITHIN) -> None:
        self._at_most = at_most
        self._within = within
        self._reported: OrderedDict[str, Reported] = OrderedDict()
        self._by_pod: dict[str, dict[str, Reported]] = {}

    def __len__(self) -> int:
        return len(self._reported)

    def add(self, case: Case, given: Classification, *, now: datetime) -> None:
        """The case was reported so. A restart in place is not amended, because it is evidence itself."""
        if case.occurred.occurrence in IN_RUN:
            return
        reported = Reported(case=case, given=given, until=now + self._within)
        self._reported[case.event_id] = reported
        self._by_pod.setdefault(case.pod_uid, {})[case.event_id] = reported
        while self._reported and (
            len(self._reported) > self._at_most or next(iter(self._reported.values())).until <= now
        ):
            self._drop(next(iter(self._reported.values())))

    def of_pod(self, uid: str, *, now: datetime) -> list[Reported]:
        """What was reported of the pod and may still be amended."""
        return [reported for reported in self._by_pod.get(uid, {}).values() if now < reported.until]

    def amended(self, reported: Reported) -> None:
        """It was amended, which happens at most once."""
        if reported.case.event_id in self._reported:
            self._drop(reported)

    def _drop(self, reported: Reported) -> None:
        case = reported.case
        del self._reported[case.event_id]
        of_pod = self._by_pod[case.pod_uid]
        del of_pod[case.event_id]
        if not of_pod:
            del self._by_pod[case.pod_uid]
