"""Enumerations of core <-> those of the contract."""

from collections.abc import Mapping
from typing import Final, Generic, TypeVar

from agent.api.v1 import commands_pb2 as commands
from agent.api.v1 import events_pb2 as events
from agent.api.v1 import failure_pb2 as pb
from agent.core.evidence import ContainerKind, StateKind
from agent.core.failure import (
    Advice,
    Advised,
    CategoryAction,
    CheckAction,
    CheckCause,
    DetailKey,
    Grade,
    Mechanism,
    Occurrence,
    Origin,
    Proof,
    Trust,
)
from agent.core.lifecycle.run import GracefulShutdown, LostCluster
from agent.core.run_event import Confirmation, RunPhase, StopAnswer
from agent.wire.error import TooNew, WireError

Word = TypeVar("Word")
Number = TypeVar("Number", bound=int)


class Words(Generic[Word, Number]):
    """One enumeration in both directions. ``unknown`` stands for numbers that a later version may have added."""

    def __init__(self, name: str, numbers: Mapping[Word, Number], *, unknown: Word | None = None) -> None:
        self._name = name
        self.number = dict(numbers)
        self._word = {int(number): word for word, number in numbers.items()}
        self._unknown = unknown

    def knows(self, number: int) -> bool:
        """Whether a number has a word: one that a later version added has none."""
        return number in self._word

    def find(self, number: int) -> Word | None:
        """The word for a number; ``None`` if it has none, for fields whose newer words mean no more than none."""
        return self._word.get(number)

    def word(self, number: int) -> Word:
        """The word for a number; raises WireError if it has none and there is no ``unknown``.

        0 says that there is none. A higher number is a later version's: TooNew.
        """
        word = self._word.get(number, self._unknown)
        if word is None:
            raise (TooNew if number > 0 else WireError)(f"{self._name} {number} is not known")
        return word


OCCURRENCES = Words(
    "occurrence",
    {
        Occurrence.POD_FAILED: pb.OCCURRENCE_POD_FAILED,
        Occurrence.DELETED_EXTERNALLY: pb.OCCURRENCE_DELETED_EXTERNALLY,
        Occurrence.MISSING: pb.OCCURRENCE_MISSING,
        Occurrence.NEVER_STARTED: pb.OCCURRENCE_NEVER_STARTED,
        Occurrence.DEADLINE_EXCEEDED: pb.OCCURRENCE_DEADLINE_EXCEEDED,
        Occurrence.STUCK_TERMINATING: pb.OCCURRENCE_STUCK_TERMINATING,
        Occurrence.CONTAINER_RESTARTED: pb.OCCURRENCE_CONTAINER_RESTARTED,
        Occurrence.LEASE_EXPIRED: pb.OCCURRENCE_LEASE_EXPIRED,
        Occurrence.NEVER_CREATED: pb.OCCURRENCE_NEVER_CREATED,
    },
)

ORIGINS = Words(
    "origin",
    {
        Origin.INFRA: pb.ORIGIN_INFRA,
        Origin.PLATFORM: pb.ORIGIN_PLATFORM,
        Origin.USER: pb.ORIGIN_USER,
        Origin.UNKNOWN: pb.ORIGIN_UNKNOWN,
    },
    unknown=Origin.UNKNOWN,
)

ADVICE = Words(
    "retry advice",
    {
        Advice.NEVER: pb.RETRY_ADVICE_NEVER,
        Advice.SAME: pb.RETRY_ADVICE_SAME,
        Advice.ELSEWHERE: pb.RETRY_ADVICE_ELSEWHERE,
        Advice.CHANGED: pb.RETRY_ADVICE_CHANGED,
    },
)

GRADES = Words(
    "grade",
    {
        Grade.PROVEN: pb.GRADE_PROVEN,
        Grade.LIKELY: pb.GRADE_LIKELY,
        Grade.UNKNOWN: pb.GRADE_UNKNOWN,
    },
    unknown=Grade.UNKNOWN,
)

PROOFS = Words(
    "proof",
    {
        Proof.COMMAND: pb.PROOF_COMMAND,
        Proof.IMAGE: pb.PROOF_IMAGE,
        Proof.SPEC: pb.PROOF_SPEC,
        Proof.REFERENCE: pb.PROOF_REFERENCE,
        Proof.TOO_LARGE: pb.PROOF_TOO_LARGE,
        Proof.OWN_LIMIT: pb.PROOF_OWN_LIMIT,
        Proof.GIVEN_UP: pb.PROOF_GIVEN_UP,
        Proof.DONE: pb.PROOF_DONE,
        Proof.CODE: pb.PROOF_CODE,
        Proof.ARGUMENTS: pb.PROOF_ARGUMENTS,
        Proof.DISRUPTED: pb.PROOF_DISRUPTED,
        Proof.NODE: pb.PROOF_NODE,
        Proof.DEVICE: pb.PROOF_DEVICE,
        Proof.COMPONENT: pb.PROOF_COMPONENT,
        Proof.BUSY: pb.PROOF_BUSY,
    },
)

ADVISED = Words(
    "advised",
    {
        Advised.NEVER: pb.ADVISED_NEVER,
        Advised.SAME: pb.ADVISED_SAME,
        Advised.ELSEWHERE: pb.ADVISED_ELSEWHERE,
        Advised.CHANGED: pb.ADVISED_CHANGED,
        Advised.TRY: pb.ADVISED_TRY,
        Advised.TRY_ELSEWHERE: pb.ADVISED_TRY_ELSEWHERE,
    },
)

ACTIONS = Words(
    "category action",
    {
        CategoryAction.RETAIN: pb.CATEGORY_ACTION_RETAIN,
        CategoryAction.DELETE: pb.CATEGORY_ACTION_DELETE,
    },
    unknown=CategoryAction.RETAIN,
)

MECHANISMS = Words(
    "mechanism",
    {
        Mechanism.NEVER_CREATED: pb.MECHANISM_NEVER_CREATED,
        Mechanism.UNSCHEDULABLE: pb.MECHANISM_UNSCHEDULABLE,
        Mechanism.REJECTED: pb.MECHANISM_REJECTED,
        Mechanism.NOT_STARTED: pb.MECHANISM_NOT_STARTED,
        Mechanism.EVICTED: pb.MECHANISM_EVICTED,
        Mechanism.PREEMPTED: pb.MECHANISM_PREEMPTED,
        Mechanism.DELETED: pb.MECHANISM_DELETED,
        Mechanism.NODE_SHUTDOWN: pb.MECHANISM_NODE_SHUTDOWN,
        Mechanism.NODE_LOST: pb.MECHANISM_NODE_LOST,
        Mechanism.DEADLINE: pb.MECHANISM_DEADLINE,
        Mechanism.OOM_CGROUP: pb.MECHANISM_OOM_CGROUP,
        Mechanism.OOM_NODE: pb.MECHANISM_OOM_NODE,
        Mechanism.PROBE_KILLED: pb.MECHANISM_PROBE_KILLED,
        Mechanism.SIGNALLED: pb.MECHANISM_SIGNALLED,
        Mechanism.EXITED: pb.MECHANISM_EXITED,
        Mechanism.SUCCEEDED: pb.MECHANISM_SUCCEEDED,
        Mechanism.UNKNOWN: pb.MECHANISM_UNKNOWN,
    },
    unknown=Mechanism.UNKNOWN,
)

DETAIL_KEYS = Words(
    "detail key",
    {
        DetailKey.RESOURCE: pb.DETAIL_KEY_RESOURCE,
        DetailKey.TAINT: pb.DETAIL_KEY_TAINT,
        DetailKey.LABEL: pb.DETAIL_KEY_LABEL,
        DetailKey.QUOTA: pb.DETAIL_KEY_QUOTA,
        DetailKey.CLAIM: pb.DETAIL_KEY_CLAIM,
        DetailKey.IMAGE_PART: pb.DETAIL_KEY_IMAGE_PART,
        DetailKey.PROBE: pb.DETAIL_KEY_PROBE,
        DetailKey.LIMIT: pb.DETAIL_KEY_LIMIT,
        DetailKey.RANK: pb.DETAIL_KEY_RANK,
        DetailKey.DEVICE: pb.DETAIL_KEY_DEVICE,
    },
)

CHECK_ACTIONS = Words(
    "check action",
    {CheckAction.RETRY: pb.CHECK_ACTION_RETRY, CheckAction.FAIL: pb.CHECK_ACTION_FAIL},
)

CHECK_CAUSES = Words(
    "check cause",
    {
        CheckCause.STARTUP: pb.CHECK_CAUSE_STARTUP,
        CheckCause.NO_NODE_ASSIGNED: pb.CHECK_CAUSE_NO_NODE_ASSIGNED,
        CheckCause.NO_STATUS_UPDATES: pb.CHECK_CAUSE_NO_STATUS_UPDATES,
        CheckCause.FAILED: pb.CHECK_CAUSE_FAILED,
    },
    unknown=CheckCause.STARTUP,
)

TRUST = Words(
    "trust",
    {Trust.SYSTEM: pb.TRUST_SYSTEM, Trust.USER_TEXT: pb.TRUST_USER_TEXT},
    unknown=Trust.USER_TEXT,
)

CONTAINER_KINDS = Words(
    "container kind",
    {
        ContainerKind.APP: pb.CONTAINER_KIND_APP,
        ContainerKind.INIT: pb.CONTAINER_KIND_INIT,
        ContainerKind.SIDECAR: pb.CONTAINER_KIND_SIDECAR,
        ContainerKind.EPHEMERAL: pb.CONTAINER_KIND_EPHEMERAL,
    },
    unknown=ContainerKind.APP,
)

STATE_KINDS = Words(
    "state kind",
    {
        StateKind.ABSENT: pb.STATE_KIND_UNSPECIFIED,
        StateKind.WAITING: pb.STATE_KIND_WAITING,
        StateKind.RUNNING: pb.STATE_KIND_RUNNING,
        StateKind.TERMINATED: pb.STATE_KIND_TERMINATED,
    },
    unknown=StateKind.ABSENT,
)

RUN_PHASES = Words(
    "run state",
    {
        RunPhase.PENDING: events.RunState.STATE_PENDING,
        RunPhase.RUNNING: events.RunState.STATE_RUNNING,
        RunPhase.SUCCEEDED: events.RunState.STATE_SUCCEEDED,
        RunPhase.FAILED: events.RunState.STATE_FAILED,
    },
)

CONFIRMATIONS = Words(
    "confirmation",
    {
        Confirmation.CONTAINERS: events.CONFIRMATION_CONTAINERS,
        Confirmation.NEVER_BOUND: events.CONFIRMATION_NEVER_BOUND,
        Confirmation.REFUSED_BY_KUBELET: events.CONFIRMATION_REFUSED_BY_KUBELET,
        Confirmation.PERSON: events.CONFIRMATION_PERSON,
    },
)

STOP_ANSWERS = Words(
    "answer to a stop",
    {
        StopAnswer.GONE: events.RunStopped.ANSWER_GONE,
        StopAnswer.SUCCEEDED_BEFORE: events.RunStopped.ANSWER_SUCCEEDED_BEFORE,
        StopAnswer.FAILED_BEFORE: events.RunStopped.ANSWER_FAILED_BEFORE,
        StopAnswer.NEVER_STARTED: events.RunStopped.ANSWER_NEVER_STARTED,
    },
)

LOST_CLUSTERS = Words(
    "lost cluster",
    {LostCluster.REPLACE: commands.LOST_CLUSTER_REPLACE, LostCluster.WAIT: commands.LOST_CLUSTER_WAIT},
)

GRACEFUL_SHUTDOWNS = Words(
    "graceful shutdown",
    {
        GracefulShutdown.TIMER: commands.GRACEFUL_SHUTDOWN_TIMER,
        GracefulShutdown.CONFIRMED: commands.GRACEFUL_SHUTDOWN_CONFIRMED,
    },
)

TRISTATES: Final[Mapping[bool | None, pb.Tristate]] = {
    None: pb.TRISTATE_UNKNOWN,
    True: pb.TRISTATE_YES,
    False: pb.TRISTATE_NO,
}
_KNOWN = {int(number): word for word, number in TRISTATES.items()}


def known(number: int) -> bool | None:
    """The inverse of ``TRISTATES``; unspecified is ``None``."""
    return _KNOWN.get(number)
