"""Armada's ``RetryAction`` as its JSON spells it (reference/armada-today.md 6)."""

from enum import IntEnum

from agent.core.retry.policy import Action
from agent.documents.problem import quote
from agent.documents.shape import refuse

PREFIX = "RETRY_ACTION_"


class RetryAction(IntEnum):
    """The enum of Armada's API."""

    UNSPECIFIED = 0
    FAIL = 1
    RETRY = 2


def read_action(written: object) -> RetryAction:
    """The action that a word or a number stands for. Raises ValueError for anything else.

    ``Fail`` and ``Retry`` in any case, the enum's own names, 1 and 2.
    """
    if isinstance(written, str):
        if written.startswith(PREFIX) and written.removeprefix(PREFIX) in RetryAction.__members__:
            return RetryAction[written.removeprefix(PREFIX)]
        if written.upper() in ("FAIL", "RETRY"):
            return RetryAction[written.upper()]
    elif isinstance(written, int) and not isinstance(written, bool) and written in (1, 2):
        return RetryAction(written)
    raise ValueError(f"unknown action {written!r}")


def write_action(number: int) -> str:
    """The word that Armada writes. Raises ValueError for a number that stands for none."""
    return RetryAction(number).name.capitalize()


def to_action(written: object) -> Action:
    """The action of a field, which must be one of the two."""
    try:
        action = read_action(written)
    except ValueError:
        action = RetryAction.UNSPECIFIED
    if action is RetryAction.UNSPECIFIED:
        found = quote(written) if isinstance(written, str) else repr(written)
        raise refuse("unknown-value", f"{found} is neither Fail nor Retry")
    return Action.FAIL if action is RetryAction.FAIL else Action.RETRY
