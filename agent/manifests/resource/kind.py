"""The kinds of resources, and a resource."""

from dataclasses import dataclass
from enum import StrEnum

from agent.core.error_table.row import ErrorRule
from agent.core.queue import Queue
from agent.core.retry.dialect import V1BETA1
from agent.core.retry.policy import RetryPolicy
from agent.documents.problem import Problem

Value = RetryPolicy | Queue | ErrorRule


class Kind(StrEnum):
    """A kind of resources, as documents write it."""

    RETRY_POLICY = "RetryPolicy"
    QUEUE = "Queue"
    ERROR_RULE = "ErrorRule"

    @property
    def word(self) -> str:
        """How sentences name it: ``retry policy``."""
        return _WORDS[self]

    @property
    def listed(self) -> str:
        """The field of a list of this kind: ``retryPolicies``."""
        return _LISTED[self]


_WORDS = {Kind.RETRY_POLICY: "retry policy", Kind.QUEUE: "queue", Kind.ERROR_RULE: "error rule"}
_LISTED = {Kind.RETRY_POLICY: "retryPolicies", Kind.QUEUE: "queues", Kind.ERROR_RULE: "errorRules"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A checked document. ``text`` is it alone, as it was written; ``findings`` are warnings about it."""

    kind: Kind
    name: str
    text: str
    value: Value
    findings: tuple[Problem, ...] = ()

    @property
    def is_armadas(self) -> bool:
        """Whether it is a retry policy in Armada's dialect, of which creating replaces and deleting detaches."""
        return isinstance(self.value, RetryPolicy) and self.value.dialect == V1BETA1


def name_of(value: Value) -> str:
    """The name of a resource; that of an error rule is its number."""
    return str(value.identity) if isinstance(value, ErrorRule) else value.name
