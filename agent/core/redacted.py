"""Redacted: evidence and matches from which secrets were taken, and where that was."""

from dataclasses import dataclass, field, replace
from typing import Any

from agent.core.evidence import Evidence
from agent.core.failure import Classification, Match
from agent.core.redaction import REDACTED, Redactor
from agent.core.texts import Place, collect, rewrite


def redact(
    evidence: Evidence, given: Classification, redactor: Redactor
) -> tuple[Evidence, Classification, tuple[str, ...]]:
    """Both without secrets, and the paths of the fields that held some."""
    redacting = _Redacting(redactor)
    clean = rewrite(evidence, redacting)
    before, after = collect(evidence).joined, collect(clean).joined
    matches = []
    for index, match in enumerate(given.matches):
        text = _match_text(match, redactor, before=before, after=after)
        if text != match.text:
            redacting.paths.append(f"classification.matches[{index}].text")
        where, container = redactor.redact(match.where), redactor.redact(match.container)
        matches.append(replace(match, text=text, where=where, container=container))
    return clean, replace(given, matches=tuple(matches)), tuple(redacting.paths)


def _match_text(match: Match, redactor: Redactor, *, before: str, after: str) -> str:
    """A rule may match a secret without what gives it away: what stood in the evidence and no longer does."""
    text = redactor.redact(match.text)
    if text == match.text and text in before and text not in after:
        return REDACTED
    return text


@dataclass(frozen=True, slots=True)
class _Redacting:
    """Redacts texts and remembers where."""

    redactor: Redactor
    paths: list[str] = field(default_factory=list)

    def text(self, text: str, place: Place) -> str:
        clean = self.redactor.redact(text)
        if clean == text:
            return text
        self.paths.append(place.path)
        return clean

    def items(self, items: tuple[Any, ...], place: Place) -> tuple[Any, ...]:  # noqa: ARG002 - part of Rewriting
        return items
