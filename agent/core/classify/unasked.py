"""Rules that were not asked: those on logs, and those of the backtracking engine, before there is time for either.

An answer given without them is settled if none of them could make another rule the primary one. What a log says can
only add matches, and words never outrank a sign of the system. So the answers that are settled where logs are read are
mostly those that rest on such signs.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from agent.core.classify.grouping import EvidenceGroup
from agent.core.classify.matchers.matcher import Basis
from agent.core.classify.matchers.termination_message import trust_in_message
from agent.core.classify.program import Program
from agent.core.classify.rules import Role
from agent.core.classify.scan import Scan, Sighting, satisfying
from agent.core.classify.weighing import AFTER_WORDS
from agent.core.evidence import Container, Evidence
from agent.core.failure import Mechanism, Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Primary:
    """The primary rule of an answer: its number, and under ``order: evidence`` its group and how the pod ended."""

    number: int
    group: EvidenceGroup | None = None
    ended: Mechanism | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unasked:
    """The bits of a program that logs or a backtracking search may set, and the numbers of the rules that have any.

    ``logs`` has the bits by the container that the rule is limited to. Those of ``tails`` are found in logs only, those
    of ``outputs`` in logs and termination messages; both without the bits of backtracking patterns, ``slow``.
    """

    program: Program
    logs: Mapping[str | None, int]
    tails: int
    outputs: int
    slow: int
    numbers: tuple[int, ...]

    @classmethod
    def of(cls, program: Program) -> "Unasked":
        """What a scan of this program leaves out, computed once."""
        slow = sum(deferred.bit for deferred in program.deferred)
        atoms = {bit: atom for bit, atom in enumerate(program.atoms) if atom is not None}
        logs: dict[str | None, int] = {}
        for bit, atom in atoms.items():
            if atom.matcher.reads_logs:
                logs[atom.container] = logs.get(atom.container, 0) | 1 << bit
        left_out = slow | sum(logs.values())
        return cls(
            program=program,
            logs=logs,
            tails=sum(1 << bit for bit, atom in atoms.items() if atom.matcher.BASIS is Basis.LOG),
            outputs=sum(1 << bit for bit, atom in atoms.items() if atom.matcher.BASIS is Basis.OUTPUT) & ~slow,
            slow=slow,
            numbers=tuple(
                [number for number, parts in enumerate(program.parts) if any(left_out >> bit & 1 for bit in parts)]
            ),
        )

    def may_overturn(self, primary: Primary, found: Scan, evidence: Evidence, *, logs: Collection[str]) -> bool:
        """Whether logs of these containers, or a backtracking search, could make another rule the primary one.

        ``found`` is the scan without them. Where words decide, each match of another rule moves what is final; so does
        each of the own rule if several of its parts must match.
        """
        left_out = self._left_out(evidence, logs)
        if not left_out:
            return False
        parts = self.program.parts[primary.number]
        if len(parts) > 1 and any(left_out >> bit & 1 for bit in parts):
            return True
        completed = self._completed(found, left_out)
        if primary.group is None or primary.ended is None:
            return any(number < primary.number for number in completed)
        by_system = _written_by_system(found.sightings)
        allowed = (number for number in completed if not self._is_refused(number, primary.ended, by_system))
        if primary.group is not EvidenceGroup.SIGN:
            return any(True for _ in allowed)
        return any(number < primary.number and self._may_be_sign(number, by_system) for number in allowed)

    def _left_out(self, evidence: Evidence, logs: Collection[str]) -> int:
        """The bits that were not asked although there is, or may be, a text for them."""
        left_out = 0
        if logs:
            left_out |= self.logs.get(None, 0)
            for name in logs:
                left_out |= self.logs.get(name, 0)
        for deferred in self.program.deferred:
            if next(deferred.matcher.searched(deferred.atom.container, evidence), None) is not None:
                left_out |= deferred.bit
        return left_out

    def _completed(self, found: Scan, left_out: int) -> Iterator[int]:
        """The numbers of the rules that match if these bits are found."""
        for number in self.numbers:
            required = self._bits(number)
            rest = required & ~left_out
            if rest != required and (not rest or satisfying(rest, found.sightings)[0]):
                yield number

    def _is_refused(self, number: int, ended: Mechanism, by_system: int) -> bool:
        """Whether the rule, if it matches, surely does not explain how the pod ended."""
        after = self.program.rules[number].rule.after
        if after is not None:
            return ended not in after
        return ended not in AFTER_WORDS and self._are_words(number, by_system)

    def _may_be_sign(self, number: int, by_system: int) -> bool:
        return self.program.rules[number].rule.role is Role.CAUSE and not self._are_words(number, by_system)

    def _are_words(self, number: int, by_system: int) -> bool:
        """Whether a program must have written a part of what the rule matches."""
        required = self._bits(number)
        return bool(required & self.tails or required & self.outputs & ~by_system)

    def _bits(self, number: int) -> int:
        return sum(1 << bit for bit in self.program.parts[number])


def _written_by_system(sightings: list[Sighting]) -> int:
    """The bits that were seen in messages of containers that no program wrote."""
    seen = 0
    for mask, subject, *_ in sightings:
        if isinstance(subject, Container) and subject.ended is not None:
            seen |= mask if trust_in_message(subject.ended) is Trust.SYSTEM else 0
    return seen
