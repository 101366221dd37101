"""How ``failctl`` ends: stable exit codes, and the errors that lead to them."""

from enum import IntEnum


class Exit(IntEnum):
    """0 fine, 1 something was found, 2 wrong usage, 3 a server or store cannot be reached."""

    FINE = 0
    FINDING = 1
    USAGE = 2
    UNREACHABLE = 3


class UsageError(Exception):
    """The command cannot be carried out as given; the message says what to change. Ends with code 2."""


class UnreachableError(Exception):
    """A server or store does not answer; the message names it. Ends with code 3."""
