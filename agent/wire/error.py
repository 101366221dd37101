"""Error: a payload is not what it should be."""


class WireError(Exception):
    """The payload cannot be read; trying again cannot help. The text says what is wrong with it."""
