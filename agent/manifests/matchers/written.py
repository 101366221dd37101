"""The syntax of a matcher in its field: stored next to its shape, so that matchers are listed only once."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from agent.core.classify.matchers.matcher import Matcher
from agent.documents.checked import Finder, Steps
from agent.documents.node import items, plain
from agent.documents.shape import Shape
from agent.documents.source import Fault


class Findings(Protocol):
    """Yields what is not as intended about a matcher at this path."""

    def __call__(self, matcher: Any, finder: Finder, *, at: Steps) -> Iterator[Fault]: ...  # noqa: ANN401 - of its own type


def _none(matcher: object, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    del matcher, finder, at
    yield from ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One matcher, as an annotation of its field.

    ``compile`` makes the value that core works with of what was written. ``tag`` is what the matcher is called in what
    revisions of error categories hash, and never changes; empty where they have no such matcher. ``pattern`` is the
    field that holds its pattern, empty where it has none. ``is_list``: a list of alternatives, none of use twice.
    ``findings`` yields what else may not be as intended.
    """

    matcher: type[Matcher]
    compile: Callable[[Any], Any]
    tag: str = ""
    pattern: str = ""
    is_list: bool = False
    findings: Findings = _none


def written_in(shape: type[Shape]) -> Mapping[str, Written]:
    """The matchers that may be written in a shape, by field, in order."""
    return {
        name: matcher
        for name, field in shape.model_fields.items()
        for matcher in field.metadata
        if isinstance(matcher, Written)
    }


def compiled(shape: Shape, known: Mapping[str, Written]) -> Any:  # noqa: ANN401 - the shape says which matchers it has
    """The one matcher that is written; it has been checked before that there is exactly one."""
    return next(
        matcher.compile(value) for name, matcher in known.items() if (value := getattr(shape, name)) not in (None, [])
    )


def pattern_fields(known: Mapping[str, Written]) -> Mapping[str, str]:
    """The field of each matcher that holds its pattern."""
    return {name: matcher.pattern for name, matcher in known.items() if matcher.pattern}


def list_fields(known: Mapping[str, Written]) -> tuple[str, ...]:
    """The matchers that are lists of alternatives."""
    return tuple(name for name, matcher in known.items() if matcher.is_list)


def findings_of(matcher: Matcher, known: Mapping[str, Written], finder: Finder, *, at: Steps) -> Iterator[Fault]:
    """Yield the findings about a matcher that is a field of the mapping at this path, apart from its pattern."""
    for name, written in known.items():
        if written.is_list:
            yield from repeated_values(finder, at=(*at, name))
        if written.matcher is type(matcher):
            yield from written.findings(matcher, finder, at=(*at, name))


def repeated_values(finder: Finder, *, at: Steps) -> Iterator[Fault]:
    """Yield a finding for each value that is in the list twice."""
    seen: set[object] = set()
    for number, item in items(finder.get(at)):
        value = plain(item)
        # Lists and mappings are not hashable; the shape reports them.
        if not isinstance(value, str | int):
            continue
        if value in seen:
            yield finder.finding("repeated-value", f"{value} is given twice", at=(*at, number), hint="delete it")
        seen.add(value)
