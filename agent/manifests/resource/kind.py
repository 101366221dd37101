"""The kinds of resources: the one table of what differs between them.

``failctl --help`` and completion load it, so what reads documents is imported when it is needed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, get_args

if TYPE_CHECKING:
    from pydantic import BaseModel

    from agent.core.error_table.row import ErrorRule
    from agent.core.queue import Queue
    from agent.core.retry.policy import RetryPolicy
    from agent.documents.checked import Check

ValueT = TypeVar("ValueT")


class Kind(StrEnum):
    """A kind of resources, as documents write it."""

    RETRY_POLICY = "RetryPolicy"
    QUEUE = "Queue"
    ERROR_RULE = "ErrorRule"

    @property
    def word(self) -> str:
        """How sentences name it: ``retry policy``."""
        return KINDS[self].word

    @property
    def noun(self) -> str:
        """How permissions name it, as Armada's do: ``retry_policy``."""
        return self.word.replace(" ", "_")

    @property
    def names(self) -> tuple[str, ...]:
        """How the command line names it. The first is the one that we print, the last the shortest."""
        return KINDS[self].names

    @property
    def schema(self) -> str:
        """The name of its schema: ``errorrule``."""
        return self.names[0].replace("-", "")

    @property
    def listed(self) -> str:
        """The field of a list of this kind: ``retryPolicies``."""
        return KINDS[self].listed

    @property
    def number(self) -> int:
        """The number of the API's ``ResourceKind``."""
        return KINDS[self].number

    @property
    def reader(self) -> "Reader[Any]":
        """What reads its documents."""
        return KINDS[self].reader()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader(Generic[ValueT]):
    """What reads the documents of a kind.

    ``shapes`` are the forms that a document may have. ``columns`` are those that lists have for this kind alone, by
    their headings.
    """

    check: "Check[ValueT]"
    shapes: "tuple[type[BaseModel], ...]"
    columns: Mapping[str, Callable[[ValueT], str]]

    @property
    def versions(self) -> tuple[str, ...]:
        """What ``apiVersion`` may be."""
        written = (get_args(shape.model_fields["apiVersion"].annotation) for shape in self.shapes)
        return tuple(dict.fromkeys(version for versions in written for version in versions))


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRow:
    """What is known of a kind. ``Kind`` has a property for each column, which explains it."""

    word: str
    names: tuple[str, ...]
    listed: str
    number: int
    reader: Callable[[], Reader[Any]]


def _retry_policy() -> "Reader[RetryPolicy]":
    from agent.manifests.retry import armada, load, shapes  # noqa: PLC0415 - see above

    return Reader(
        check=load.check_retry_policy,
        shapes=(shapes.RetryPolicyShape, armada.ArmadaPolicyShape),
        columns={
            "RULES": lambda policy: str(len(policy.rules)),
            "DEFAULT": lambda policy: "Fail" if policy.default_action is None else policy.default_action.value,
            "LIMIT": lambda policy: "" if policy.retry_limit is None else str(policy.retry_limit),
            "MODE": lambda policy: policy.mode.value,
        },
    )


def _queue() -> "Reader[Queue]":
    from agent.manifests.queue import load, shapes  # noqa: PLC0415 - see above

    return Reader(
        check=load.check_queue,
        shapes=(shapes.QueueShape, shapes.ArmadaQueueShape),
        columns={
            "POLICIES": lambda queue: ", ".join(queue.policies) or "(defaultPolicyName)",
            "PRIORITY": lambda queue: f"{queue.priority:g}",
        },
    )


def _error_rule() -> "Reader[ErrorRule]":
    from agent.manifests.error_table import load, shapes  # noqa: PLC0415 - see above

    return Reader(
        check=load.check_error_rule,
        shapes=(shapes.ErrorRuleDocumentShape,),
        columns={
            "SOURCE": lambda rule: rule.source,
            "CODE": lambda rule: str(rule.code),
            "ACTION": lambda rule: rule.action,
        },
    )


KINDS: Final[Mapping[Kind, KindRow]] = {
    Kind.RETRY_POLICY: KindRow(
        word="retry policy",
        names=("retrypolicy", "retrypolicies", "retry-policy", "retry-policies", "rp"),
        listed="retryPolicies",
        number=1,
        reader=_retry_policy,
    ),
    Kind.QUEUE: KindRow(word="queue", names=("queue", "queues", "q"), listed="queues", number=2, reader=_queue),
    Kind.ERROR_RULE: KindRow(
        word="error rule",
        names=("error-rule", "error-rules", "errorrule", "errorrules", "er"),
        listed="errorRules",
        number=3,
        reader=_error_rule,
    ),
}
NUMBERS: Final[Mapping[int, Kind]] = {kind.number: kind for kind in Kind}
"""The kind with each number of the API."""
NAMES: Final[Mapping[str, Kind]] = {name: kind for kind in Kind for name in kind.names}
"""The kind with each name of the command line."""
