"""The hint, for readers who are shown one text only."""


def with_hint(message: str, hint: str) -> str:
    """Return the message, a blank line and the hint; the message alone if there is no hint.

    Source: reference/armada-today.md 2, as Armada's error texts carry it.
    """
    return f"{message}\n\n{hint}" if hint else message
