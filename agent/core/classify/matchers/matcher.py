"""What the engine asks a matcher. What is particular to one kind of matcher is in its class, and nowhere else.

No class here has ``ABCMeta``: its ``isinstance`` is slow, and retry policies ask it for every rule. mypy refuses a
matcher that lacks a method without it, too.
"""

from abc import abstractmethod
from enum import Enum, auto
from typing import Any, ClassVar, Final, Generic, TypeVar

from agent.core.classify.matchers.sight import Finding, Sight, Subject
from agent.core.evidence import Container, Evidence
from agent.core.failure import Failure

S = TypeVar("S", bound=Subject)

ANOTHER_VALUE: Final = 0.1
"""How near a matcher came that found what it looks for, with another value."""


_NAMES_SHOWN = 2


class Basis(Enum):
    """What a matcher looks at: how much a match says, and who may have written it."""

    STATUS = auto()
    """What the system says of this pod, perhaps without a cause."""
    SIGN = auto()
    """What the system says of this pod and its cause."""
    NODE = auto()
    """What the system says of the node, not of this pod."""
    NODE_LOG = auto()
    """The log of the node, whose lines may name this pod."""
    MESSAGE = auto()
    """A text that a program or the system wrote."""
    OUTPUT = auto()
    """A log, or such a text."""
    LOG = auto()
    """A log: what programs wrote."""
    NUMBER = auto()
    """A number that says that something happened, but not why."""
    NARROWING = auto()
    """Where the pod is, which only narrows what other matchers find."""


WORDS: Final = frozenset({Basis.MESSAGE, Basis.OUTPUT, Basis.LOG})
"""Texts that programs may have written."""

IN_LOGS: Final = frozenset({Basis.OUTPUT, Basis.LOG})
"""What is, or may be, found in a log."""

SIGNS: Final = frozenset({Basis.SIGN, Basis.NODE, Basis.NODE_LOG})
"""Signs of the system that give a cause."""

SAY_NO_CAUSE: Final = frozenset({Basis.NUMBER, Basis.NARROWING})
"""What never says why."""


class Matcher:
    """One matcher. ``NAME`` is its field in files.

    ``is_pod_level``: whether it looks at the pod, so that a ``containerName`` has no effect on it.
    """

    __slots__ = ()

    NAME: ClassVar[str]

    @property
    @abstractmethod
    def is_pod_level(self) -> bool:
        raise NotImplementedError

    def listed(self) -> frozenset[object]:
        """The values, any of which matches, if the matcher is a list of them: such lists cover one another."""
        return frozenset()


class EvidenceMatcher(Matcher, Generic[S]):
    """A matcher of error categories, applied to the evidence of a pod. ``S`` is what it looks at there."""

    __slots__ = ()

    BASIS: ClassVar[Basis]
    ANY_OF: ClassVar[tuple[str, ...]] = ()
    """The fields that are lists of alternatives: neither their order nor a repeated value changes the meaning."""

    @property
    def is_weak(self) -> bool:
        """Whether it says what happened but not why, so that other evidence may reveal the cause."""
        return self.BASIS in SAY_NO_CAUSE

    @property
    def is_guard(self) -> bool:
        """Whether it only keeps the other parts of an ``allOf`` from matching; by itself it explains nothing."""
        return self.BASIS is Basis.NARROWING

    @property
    def reads_logs(self) -> bool:
        """Whether it may match because of what a log says."""
        return self.BASIS in IN_LOGS

    @abstractmethod
    def why_not(self, container: str | None, evidence: Evidence) -> str:
        """Why a rule with this container, or without one, does not match."""
        raise NotImplementedError

    @abstractmethod
    def holds_anywhere(self, evidence: Evidence) -> bool:
        """Whether it matches if the rule named no container; asked if it names one and does not match."""
        raise NotImplementedError

    @abstractmethod
    def nearness(self, container: str | None, evidence: Evidence) -> float:
        """How close it came, from 0 to 1; asked if it does not match."""
        raise NotImplementedError


class FactMatcher(EvidenceMatcher[S]):
    """A matcher of something that is no text."""

    __slots__ = ()

    @abstractmethod
    def seen(self, subject: S, evidence: Evidence) -> Sight:
        """The description of what matched there."""
        raise NotImplementedError


AnyFact = FactMatcher[Any]
"""A matcher of any fact."""


class PodMatcher(FactMatcher[None]):
    """A matcher of a fact of the whole pod, which the engine asks for each pod."""

    __slots__ = ()

    is_pod_level: ClassVar[bool] = True

    @abstractmethod
    def matches(self, evidence: Evidence) -> bool:
        raise NotImplementedError

    def holds_anywhere(self, evidence: Evidence) -> bool:
        """Whether it matches; no container changes that."""
        return self.matches(evidence)


class PolicyMatcher(Matcher):
    """A matcher of retry policies, applied to a failure that is already classified."""

    __slots__ = ()

    @abstractmethod
    def words(self) -> str:
        """The operand, in the spelling of files."""
        raise NotImplementedError

    @abstractmethod
    def meaning(self) -> list[object]:
        """The operand as JSON, equal for equal meanings. Keys of rules are a hash of it, so it never changes."""
        raise NotImplementedError

    @abstractmethod
    def sought(self) -> str:
        """What a failure must have, in words: ``a termination message with /x/``."""
        raise NotImplementedError

    def label(self) -> str:
        """What a rule without a name is called by."""
        return f"{self.NAME} {self.words()}"

    def alternatives(self) -> tuple[object, ...]:
        """What covers a rule together: the values of a list, each with its matcher, or the matcher itself."""
        return tuple((type(self), value) for value in self.listed()) or (self,)

    def covering(self) -> tuple[object, ...]:
        """What else matches all that this does, as ``alternatives`` of other rules."""
        return ()


def few(names: tuple[str, ...]) -> str:
    """The label of a list of names, which say enough by themselves; the first few are enough."""
    more = len(names) - _NAMES_SHOWN
    return f"{', '.join(names[:_NAMES_SHOWN])} and {more} more" if more > 0 else " or ".join(names)


class FailureMatcher(PolicyMatcher):
    """A matcher of retry policies that looks at the failure as a whole."""

    __slots__ = ()

    @abstractmethod
    def find(self, container: str | None, failure: Failure) -> Finding:
        """What matched, or why nothing did."""
        raise NotImplementedError


class NumberMatcher(FactMatcher[Container], PolicyMatcher):
    """A matcher of a number that a container may have. Retry policies ask it of the container that failed first."""

    __slots__ = ()

    BASIS: ClassVar[Basis] = Basis.NUMBER
    is_pod_level: ClassVar[bool] = False
    NUMBER: ClassVar[str]
    """What the number is, in words: ``exit code``."""

    @staticmethod
    @abstractmethod
    def number_of(container: Container) -> int | None:
        """The number of a container; ``None`` if it is not known, or if there is none."""
        raise NotImplementedError

    @abstractmethod
    def matches(self, number: int) -> bool:
        raise NotImplementedError

    @abstractmethod
    def not_found(self, name: str, number: int | None) -> str:
        """Why the container of this name, with this number, does not match."""
        raise NotImplementedError

    def seen(self, subject: Container, evidence: Evidence) -> Sight:
        del evidence
        number, name = self.number_of(subject), subject.name
        return Sight(where=f"container {name}: {self.NUMBER} {number}", text=str(number), container=name)

    def holds_anywhere(self, evidence: Evidence) -> bool:
        """Whether the number of any container matches."""
        return any(map(self.matches, self._numbers(None, evidence)))

    def nearness(self, container: str | None, evidence: Evidence) -> float:
        """Low: most containers that failed have such a number."""
        return ANOTHER_VALUE if self._numbers(container, evidence) else 0.0

    def _numbers(self, container: str | None, evidence: Evidence) -> list[int]:
        numbers = (self.number_of(it) for it in evidence.pod.containers if container in (None, it.name))
        return [number for number in numbers if number is not None]
