"""One case, and the cases of a file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

META = "meta"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case of a group: ``path`` is where it stands, dotted; ``group`` is the group it gives itself, if any."""

    identity: str
    path: str
    group: str
    data: Mapping[str, Any]

    def belongs_to(self, group: str) -> bool:
        """Return whether the case is in a group, whether the group is where it stands, around that, or its own."""
        return group in (self.path, self.group) or self.path.startswith(f"{group}.")


def cases_of(document: Mapping[str, Any], *, settings: frozenset[str]) -> Iterator[Case]:
    """Give the cases of a file: each mapping in a list, but for those below ``meta`` and the shared settings."""
    for name, value in document.items():
        if name != META:
            yield from _cases(value, path=name, settings=settings)


def _cases(value: object, *, path: str, settings: frozenset[str]) -> Iterator[Case]:
    if path in settings:
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _cases(inner, path=f"{path}.{name}", settings=settings)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for position, data in enumerate(value):
            if isinstance(data, Mapping):
                yield _case(data, path=path, position=position)


def _case(data: Mapping[str, Any], *, path: str, position: int) -> Case:
    identity = data.get("id") or data.get("name") or f"{path}[{position}]"
    return Case(identity=str(identity), path=path, group=str(data.get("group", "")), data=data)
