"""The error of a payload that cannot be read."""


class WireError(Exception):
    """The payload cannot be read; trying again cannot help. The text says what is wrong with it."""


class TooNew(WireError):
    """The payload has something that only a later version knows, which can read it."""
