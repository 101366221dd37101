"""Survived errors: lines of a text in which a program reports that it tries again, and what they are about.

What a program then got past is not why it failed. If it gave up in the end, it says so in another line, without a
promise to try again.
"""

from typing import Final

from agent.core.classify.pattern import compile_pattern, find

TRIES_AGAIN: Final = (
    r"(?i)\b(?:re-?trying|trying again|backing off|reconnect(?:ing|ed)|connection (?:re-?established|restored))\b"
    r"|\b(?:will|going to|about to) (?:be )?(?:re-?tr(?:y|ied)|try again|attempt again|reconnect)\b"
    r"|\bre-?try(?:ing)? (?:in|after|#|number |attempt )"
    r"|\b(?:[1-9][0-9]*|more) (?:re-?)?(?:tr(?:y|ies)|attempts?) (?:left|remaining|to go)\b"
    r"|\bRetry\(total=[0-9]"
    r"|\bsucceeded (?:after|on) (?:[0-9]+ |attempt |the )\w*"
)
"""How programs report that they try again, or that it worked the second time."""

GIVES_UP: Final = (
    r"(?i)\b(?:exceeded|exhausted|giv(?:e|es|en|ing) up|gave up|no more|not (?:be )?re-?tr(?:y|ying|ied)"
    r"|(?:failed|error) after|after [0-9]+ (?:re-?tries|attempts?|tries)|stop(?:ped|ping)? re-?trying|aborting)\b"
)
"""Words of a line that ends the tries."""


def without_survived(text: str) -> str:
    """The text without the lines that report another try, and without the line before each, which it is about."""
    if not _is_in(TRIES_AGAIN, text):
        return text
    lines = text.splitlines(keepends=True)
    again = [number for number, line in enumerate(lines) if _is_in(TRIES_AGAIN, line) and not _is_in(GIVES_UP, line)]
    dropped = {*again, *(number - 1 for number in again)}
    return "".join([line for number, line in enumerate(lines) if number not in dropped])


def _is_in(pattern: str, text: str) -> bool:
    return find(compile_pattern(pattern), text) is not None
