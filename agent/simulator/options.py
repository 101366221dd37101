"""The options of lists and watches, checked as the server does (apimachinery: internalversion/validation)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agent.simulator.status import bad_request, invalid_options
from agent.simulator.times import Seconds

_TRUE: Final = frozenset({"true", "1"})
_MATCH: Final = "resourceVersionMatch"
_INITIAL: Final = "sendInitialEvents"


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchOptions:
    """``since`` of ``None``: begin with every object; ``streamed``: as a streamed list, which a bookmark ends."""

    since: int | None
    seconds: Seconds | None
    bookmarks: bool
    streamed: bool


def watch_options(query: Mapping[str, str]) -> WatchOptions:
    """Read the options of a watch. Raises StatusError (400, 422)."""
    _check_watch(query)
    since = number(query, "resourceVersion")
    return WatchOptions(
        since=since or None,
        seconds=number(query, "timeoutSeconds"),
        bookmarks=query.get("allowWatchBookmarks") in _TRUE,
        streamed=query.get(_INITIAL) in _TRUE,
    )


def _check_watch(query: Mapping[str, str]) -> None:
    match = query.get(_MATCH, "")
    problems = []
    if match and _INITIAL not in query:
        problems.append(
            (_MATCH, "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
        )
    if _INITIAL in query and match != "NotOlderThan":
        problems.append((_MATCH, "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
        if match:
            problems.append((_MATCH, f'Unsupported value: "{match}": supported values: "NotOlderThan"'))
    if problems:
        raise invalid_options(problems)


def check_list(query: Mapping[str, str]) -> None:
    """Check the options of a list. Raises StatusError (422)."""
    problems = []
    if query.get(_MATCH) and not query.get("resourceVersion"):
        problems.append((_MATCH, "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"))
    if _INITIAL in query:
        problems.append((_INITIAL, "Forbidden: sendInitialEvents is forbidden for list"))
    if problems:
        raise invalid_options(problems)


def watching(query: Mapping[str, str]) -> bool:
    return query.get("watch", "false") in _TRUE


def number(query: Mapping[str, str], name: str) -> int | None:
    """A number; ``None`` if it is not given. Raises StatusError (400)."""
    text = query.get(name)
    if text is None:
        return None
    if not text.isdecimal():
        raise bad_request(f'Invalid value: "{text}": {name}: strconv.ParseUint: parsing "{text}": invalid syntax')
    return int(text)
