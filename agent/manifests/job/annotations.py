"""The annotations for our options of a Job; its manifest stays valid Kubernetes (docs/jobs.md)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, Strict

from agent.core.classify.matchers.min_grade import MinGrade
from agent.core.failure import Grade, Origin
from agent.core.job.manifest import Choices
from agent.core.job.rules import OurRule
from agent.core.retry.annotations import ANNOTATIONS
from agent.documents.compose import read
from agent.documents.node import Mapping, MappingEntry, Node, Scalar, find, text_at, write_path
from agent.documents.problem import nearest_or_all, quote
from agent.documents.shape import Shape, check
from agent.documents.source import Fault
from agent.manifests.fields import Name
from agent.manifests.matchers.facts import Signal

PREFIX = "failure-agent.dev/job-"
DELAY_IGNORED = f"{PREFIX}delay-ignored"
DELAY_EACH = f"{PREFIX}delay-each"
RESTARTS_REACH = f"{PREFIX}restarts-reach-limit"
RULES = f"{PREFIX}rules"

CHOICES = (DELAY_IGNORED, DELAY_EACH, RESTARTS_REACH)
KNOWN = (*CHOICES, RULES)


class OurRuleShape(Shape):
    """One of our rules; all its conditions must hold."""

    name: Name
    action: Literal["Count", "FailIndex", "FailJob", "Ignore"]
    onCategory: str | None = None
    onOrigin: Annotated[Origin, Strict(False)] | None = None
    minGrade: Annotated[Grade, Strict(False)] | None = None
    onSignal: Signal | None = None
    onReason: str | None = None
    onMessage: str | None = None


class OurRulesShape(Shape):
    """The list of the annotation, wrapped in a mapping, because a shape describes a mapping."""

    rules: Annotated[list[OurRuleShape], Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobAnnotations:
    """What a Job's annotations choose, and what is wrong with them."""

    choices: Choices
    rules: tuple[OurRule, ...]
    policies: tuple[str, ...]
    faults: tuple[Fault, ...]


def read_annotations(root: Node) -> JobAnnotations:
    """Read our annotations of a Job; those of others are left alone."""
    node = find(root, ("metadata", "annotations"))
    entries = node.entries if isinstance(node, Mapping) else ()
    faults = [*_unknown(entries), *_not_boolean(entries)]
    rules, rule_faults = _rules(entries)
    chosen = {entry.key: text_at(entry.value) != "false" for entry in entries if entry.key in CHOICES}
    return JobAnnotations(
        choices=Choices(
            delay_ignored=chosen.get(DELAY_IGNORED, True),
            delay_each=chosen.get(DELAY_EACH, True),
            restarts_reach=chosen.get(RESTARTS_REACH, True),
        ),
        rules=rules,
        policies=tuple(_policies(entries)),
        faults=(*faults, *rule_faults),
    )


def _unknown(entries: Sequence[MappingEntry]) -> Iterator[Fault]:
    for entry in entries:
        if entry.key.startswith(PREFIX) and entry.key not in KNOWN:
            message = f"unknown annotation {quote(entry.key)}"
            yield Fault(
                code="unknown-annotation",
                span=entry.span,
                path=_path(entry),
                message=message,
                hint=nearest_or_all(entry.key, KNOWN),
            )


def _not_boolean(entries: Sequence[MappingEntry]) -> Iterator[Fault]:
    for entry in entries:
        if entry.key in CHOICES and text_at(entry.value) not in ("true", "false"):
            message = 'expected "true" or "false", as text'
            yield Fault(code="invalid-value", span=entry.value.span, path=_path(entry), message=message)


def _rules(entries: Sequence[MappingEntry]) -> tuple[tuple[OurRule, ...], list[Fault]]:
    entry = next((entry for entry in entries if entry.key == RULES), None)
    text = None if entry is None else text_at(entry.value)
    if entry is None or text is None:
        return (), []
    documents = read(text, file=RULES)
    messages = [problem.message for problem in documents.problems]
    if not messages and len(documents.roots) != 1:
        messages = ["expected one list of rules"]
    faults = [_at(entry, message) for message in messages]
    if faults:
        return (), faults
    fit = check(OurRulesShape, _under_rules(documents.roots[0], entry))
    if fit.value is None:
        return (), [_at(entry, f"{fault.path}: {fault.message}", hint=fault.hint) for fault in fit.faults]
    return tuple(_compiled(rule) for rule in fit.value.rules), []


def _under_rules(root: Node, entry: MappingEntry) -> Node:
    size = 2 if isinstance(root, Scalar) else root.size + 1
    return Mapping(entries=(MappingEntry(key="rules", span=entry.span, value=root),), span=entry.span, size=size)


def _compiled(shape: OurRuleShape) -> OurRule:
    return OurRule(
        name=shape.name,
        action=shape.action,
        category=shape.onCategory,
        origin=None if shape.onOrigin is None else shape.onOrigin.value,
        min_grade=None if shape.minGrade is None else MinGrade(least=shape.minGrade),
        signal=shape.onSignal,
        reason=shape.onReason,
        message=shape.onMessage,
    )


def _policies(entries: Sequence[MappingEntry]) -> Iterator[str]:
    for entry in entries:
        if entry.key in ANNOTATIONS:
            yield from (name.strip() for name in (text_at(entry.value) or "").split(",") if name.strip())


def _at(entry: MappingEntry, message: str, *, hint: str = "") -> Fault:
    return Fault(code="invalid-rules", span=entry.value.span, path=_path(entry), message=message, hint=hint)


def _path(entry: MappingEntry) -> str:
    return write_path(("metadata", "annotations", entry.key))
