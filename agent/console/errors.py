"""Error messages and notes on standard error: a line for people, or a JSON object with ``-o json``."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, TextIO

from agent.console.terminal import visible_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The program that reports errors, and whether another program reads them."""

    program: str = "failctl"
    json: bool = False


_style: ContextVar[Style] = ContextVar("style", default=Style())  # noqa: B039 - frozen

_FORMS: Final = ("json", "jsonl")


@contextmanager
def styled(program: str, arguments: Sequence[str]) -> Iterator[None]:
    """Write the errors of ``program`` in the form that its arguments ask for.

    The arguments are searched for ``-o json`` here, because typer may find the error before it has parsed them.
    """
    token = _style.set(Style(program=program, json=_asks_for_json(arguments)))
    try:
        yield
    finally:
        _style.reset(token)


def report_error(
    err: TextIO,
    message: str,
    *,
    hint: str = "",
    code: int | None = None,
    problems: Sequence[Mapping[str, object]] = (),
) -> None:
    """Write one error. Control characters in it are made visible, because it may quote text from outside.

    ``hint`` is a second line for people, ``code`` the exit code if it ends the command.
    """
    style = _style.get()
    if not style.json:
        said = (f"{style.program}: {message}", hint)
        err.writelines(f"{line}\n" for text in said if text for line in visible_lines(text))
        return
    ending = {} if code is None else {"exitCode": int(code)}
    found = {"problems": list(problems)} if problems else {}
    err.write(json.dumps({"error": message, **ending, **found}) + "\n")


def report_note(err: TextIO, message: str) -> None:
    """Write what is nothing wrong, as a sentence. Control characters in it are made visible."""
    if _style.get().json:
        err.write(json.dumps({"note": message}) + "\n")
    else:
        err.writelines(f"{line}\n" for line in visible_lines(message))


def _asks_for_json(arguments: Sequence[str]) -> bool:
    for at, word in enumerate(arguments):
        if word in ("-o", "--output") and arguments[at + 1 : at + 2] and arguments[at + 1] in _FORMS:
            return True
        if word in {f"{option}{form}" for option in ("-o", "--output=") for form in _FORMS}:
            return True
    return False
