"""The syntax of a matcher in its field: stored next to its shape, so that matchers are listed only once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agent.documents.shape import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One matcher, as an annotation of its field.

    ``compile`` makes the value that core works with of what was written. ``tag`` is what the matcher is called in what
    revisions of error categories hash, and never changes; empty where they have no such matcher. ``pattern`` is the
    field that holds its pattern, empty where it has none. ``is_list``: a list of alternatives, none of use twice.
    """

    matcher: type
    compile: Callable[[Any], Any]
    tag: str = ""
    pattern: str = ""
    is_list: bool = False


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
