"""One case, and the cases of a file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

META = "meta"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case of a group: ``path`` is where it stands, dotted; ``group`` is the group it gives itself, if any.

    ``shared`` is what stands at the paths of the file's shared settings.
    """

    identity: str
    path: str
    group: str
    data: Mapping[str, Any]
    shared: Mapping[str, Any] = field(default_factory=dict)

    def belongs_to(self, group: str) -> bool:
        """Return whether the case is in a group, whether the group is where it stands, around that, or its own."""
        return group in (self.path, self.group) or self.path.startswith(f"{group}.")


def cases_of(document: Mapping[str, Any], *, settings: frozenset[str]) -> Iterator[Case]:
    """Give the cases of a file: each mapping in a list, but for those below ``meta`` and the shared settings."""
    shared = {path: _at(document, path) for path in settings}
    for name, value in document.items():
        if name != META:
            yield from _cases(value, path=name, shared=shared)


def _cases(value: object, *, path: str, shared: Mapping[str, Any]) -> Iterator[Case]:
    if path in shared:
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _cases(inner, path=f"{path}.{name}", shared=shared)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for position, data in enumerate(value):
            if isinstance(data, Mapping):
                yield _case(data, path=path, position=position, shared=shared)


def _case(data: Mapping[str, Any], *, path: str, position: int, shared: Mapping[str, Any]) -> Case:
    identity = data.get("id") or data.get("name") or f"{path}[{position}]"
    return Case(identity=str(identity), path=path, group=str(data.get("group", "")), data=data, shared=shared)


def _at(document: Mapping[str, Any], path: str) -> Any:  # noqa: ANN401 - whatever stands there
    found: Any = document
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
