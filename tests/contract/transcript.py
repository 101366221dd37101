"""Transcripts: exchanges without what differs from run to run, as files, and the difference of two.

What is named anew in each run (uids, versions, the scenario's namespace) is numbered in the order it first appears, so
that it still shows what is the same as what. Times and continue tokens only say that they are there; ``managedFields``
are left out: the simulator does not offer them, and nobody here reads them.
"""

import difflib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from tests.simulator.api import Json

FOLDER: Final = Path(__file__).parent / "transcripts"

_UID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_AGE: Final = re.compile(r"(?<![\w-])\d+[smhdy](?:\d+[smhd])?(?= ago|$)")
_VERSIONS_IN_WORDS: Final = (
    re.compile(r"(?<=too old resource version: )(\d+ \(\d+\))"),
    re.compile(r"(?<=resource version: )(\d+, current: \d+)"),
    re.compile(r"(?<=in record \()(\d+)(?=\))"),
)
_WORDS: Final = frozenset({"", "0", "1"})
"""Versions that a client makes up."""


def normalise(exchanges: Sequence[Json], *, namespace: str) -> list[Json]:
    """The exchanges, without what differs from run to run."""
    names = _Names(namespace)
    for version in _object_versions(list(exchanges)):
        names.of("version", version)
    return [_exchange(each, names) for each in exchanges]


def normalise_session(ran: Sequence[Json], *, namespace: str) -> list[Json]:
    """What was run at a terminal, without what differs from run to run."""
    names = _Names(namespace)
    return [names.loose(each) for each in ran]


def _exchange(exchange: Json, names: "_Names") -> Json:
    asked = dict(exchange["request"])
    normal = {"request": {"body": names.known(asked.pop("body"))} if "body" in asked else {}}
    normal["request"].update(names.loose(asked))
    return {**normal, "answer": names.loose(exchange["answer"])}


class _Names:
    """Names anew what each run names anew."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace
        self._given: dict[tuple[str, str], str] = {}
        self._counts: Counter[str] = Counter()

    def of(self, what: str, value: str) -> str:
        """The number of this uid or version, in the order they are asked for."""
        if (what, value) not in self._given:
            self._counts[what] += 1
            self._given[what, value] = f"{{{what} {self._counts[what]}}}"
        return self._given[what, value]

    def loose(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        """A value in which a version is an object's only beside its uid: else it is a list's, a bookmark's or asked."""
        return self._normal(value, loose=True)

    def known(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        """A value in which every version is an object's."""
        return self._normal(value, loose=False)

    def _normal(self, value: Any, *, loose: bool) -> Any:  # noqa: ANN401 - any JSON value
        match value:
            case dict():
                kept = [name for name in sorted(value) if name != "managedFields"]
                return {name: self._field(name, value, loose=loose) for name in kept}
            case list():
                return [self._normal(each, loose=loose) for each in value]
            case str():
                return self._text(value)
            case _:
                return value

    def _field(self, name: str, owner: Json, *, loose: bool) -> object:
        value = owner[name]
        if name == "continue":
            return "{continue}"
        if name == "serverAddress":
            return "{address}"
        if name == "cells":
            return [_AGE.sub("{age}", self._text(each)) if isinstance(each, str) else each for each in value]
        if name == "resourceVersion" and value not in _WORDS:
            if loose and "uid" not in owner:
                return "{version}"
            return self._given.get(("version", value), value)
        return self._normal(value, loose=loose)

    def _text(self, value: str) -> str:
        if time := _TIME.fullmatch(value):
            return "{micro time}" if time[1] else "{time}"
        for wording in _VERSIONS_IN_WORDS:
            value = wording.sub("{versions}", value)
        return _UID.sub(lambda found: self.of("uid", found[0]), value.replace(self._namespace, "{namespace}"))


def _object_versions(value: object) -> Iterator[str]:
    """The versions of objects, in order: those of lists and bookmarks may be anybody's."""
    match value:
        case dict():
            if "uid" in value and "name" in value and isinstance(value.get("resourceVersion"), str):
                yield value["resourceVersion"]
            for name in sorted(value):
                yield from _object_versions(value[name])
        case list():
            for each in value:
                yield from _object_versions(each)
        case _:
            return


def read(name: str) -> list[Json]:
    """The committed transcript of a scenario; an empty one if there is none."""
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def write(name: str, transcript: Sequence[Json]) -> None:
    """Make this the transcript of a scenario."""
    (FOLDER / f"{name}.json").write_text(_written(transcript), encoding="utf-8")


def difference(
    name: str, transcript: Sequence[Json], *, by: str, claimed: Callable[[Any], Any] = lambda whole: whole
) -> str:
    """Where this transcript, made ``by`` someone, is not the committed one; ``""`` where it is.

    ``claimed`` leaves out of both what is not to be compared.
    """
    lines = difflib.unified_diff(
        _written(claimed(read(name))).splitlines(),
        _written(claimed(transcript)).splitlines(),
        fromfile=f"{name} (committed)",
        tofile=f"{name} ({by})",
        n=6,
        lineterm="",
    )
    return "\n".join(lines)


def _written(transcript: Sequence[Json]) -> str:
    return json.dumps(transcript, indent=1, sort_keys=True) + "\n"
