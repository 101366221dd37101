"""How every process logs: to standard error, for people or as JSON lines, without secrets or control characters."""

import logging
import re
import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

_HIDDEN = "[hidden]"
_SECRET_NAME = re.compile(
    r"pass(word|wd)?$|secret|token$|authorization|api_?key|private_?key|credential", re.IGNORECASE
)
_SECRET_TEXT = (
    (re.compile(r"(?<=://)[^/\s@:]*:[^/\s@]*(?=@)"), _HIDDEN),
    (re.compile(r"\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE), rf"\1 {_HIDDEN}"),
    (re.compile(r"\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"), _HIDDEN),
    (re.compile(r"\b(password|passwd|token|secret)=[^\s&'\"]+", re.IGNORECASE), rf"\1={_HIDDEN}"),
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_CONTROL_BUT_NEWLINE = re.compile(rf"(?!\n){_CONTROL.pattern}")
_QUIET = ("alembic",)
"""Libraries of which only warnings are logged: what they log at level info is of no use to operators."""

_FAULTS = "faults"
"""The field with every fault of a file, one a line."""

_MULTILINE = frozenset({"exception", "stack", _FAULTS})


class LogFormat(StrEnum):
    """Console: one readable line each, faults below it. JSON: one object a line."""

    CONSOLE = "console"
    JSON = "json"


def configure(
    level: str = "info",
    form: LogFormat | str = LogFormat.CONSOLE,
    *,
    stream: TextIO | None = None,
    coloured: bool = False,
) -> None:
    """Send everything that structlog and the standard library log, from ``level`` up, to ``stream`` (standard error).

    ``coloured`` is for the console form. May be called again; the last call wins. Raises ValueError for an unknown
    level or form.
    """
    number = _level_number(level)
    form = LogFormat(form)
    out = stream if stream is not None else sys.stderr
    before: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=before,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            hide_secrets,
            escape_control_characters,
            _renderer(form, coloured=coloured),
        ],
    )
    _own_the_root(number, formatter, out)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *before,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def hide_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Replace values whose name says that they are secret, and secrets inside texts."""
    return {name: _HIDDEN if _SECRET_NAME.search(name) else _map_text(value, _hide) for name, value in event.items()}


def escape_control_characters(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Make control characters, direction marks and lone surrogates visible; tracebacks and faults keep line breaks."""
    return {
        escape(name): _map_text(value, _escape_lines if name in _MULTILINE else escape) for name, value in event.items()
    }


def escape(text: str) -> str:
    r"""``text`` with every control character written out, such as ``\x1b``."""
    return _CONTROL.sub(_visible, text)


def _escape_lines(text: str) -> str:
    return _CONTROL_BUT_NEWLINE.sub(_visible, text)


def _visible(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape", "surrogatepass").decode("ascii")


def _hide(text: str) -> str:
    for pattern, replacement in _SECRET_TEXT:
        text = pattern.sub(replacement, text)
    return text


def _map_text(value: object, change: Callable[[str], str]) -> object:
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return change(value)
        case Mapping():
            return {
                change(str(name)): _HIDDEN if _SECRET_NAME.search(str(name)) else _map_text(inner, change)
                for name, inner in value.items()
            }
        case list() | tuple() | set() | frozenset():
            return [_map_text(inner, change) for inner in value]
        case _:
            return change(str(value))


def _renderer(form: LogFormat, *, coloured: bool) -> Processor:
    if form is LogFormat.JSON:
        return structlog.processors.JSONRenderer()
    console = structlog.dev.ConsoleRenderer(colors=coloured, exception_formatter=structlog.dev.plain_traceback)

    def render(logger: WrappedLogger, method: str, event: EventDict) -> str:
        faults = str(event.pop(_FAULTS, ""))
        # Indented, so that no text from a file looks like a line of the log.
        return "\n".join([console(logger, method, event), *(f"    {fault}" for fault in faults.split("\n") if fault)])

    return render


def _level_number(level: str) -> int:
    number = logging.getLevelNamesMapping().get(level.upper())
    if number is None:
        raise ValueError(f"unknown log level {level!r}; use debug, info, warning or error")
    return number


def _own_the_root(level: int, formatter: logging.Formatter, out: TextIO) -> None:
    handler = logging.StreamHandler(out)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    for known in list(root.handlers):
        if isinstance(known.formatter, structlog.stdlib.ProcessorFormatter):
            root.removeHandler(known)
    root.addHandler(handler)
    root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
