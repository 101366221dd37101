"""A resource: a checked document of one of the kinds."""

from dataclasses import dataclass

from agent.core.error_table.row import ErrorRule
from agent.core.queue import Queue
from agent.core.retry.dialect import V1BETA1
from agent.core.retry.policy import RetryPolicy
from agent.documents.problem import Problem
from agent.manifests.resource.kind import Kind

Value = RetryPolicy | Queue | ErrorRule


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
