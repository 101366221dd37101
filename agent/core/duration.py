"""A duration as files write it."""

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"))


def in_words(seconds: float) -> str:
    """``1h30m``, ``45s``, ``0.5s``, ``0s``: at most milliseconds."""
    whole, rest = [], round(seconds, 3)
    for size, unit in _UNITS:
        count, rest = divmod(rest, size)
        if count:
            whole.append(f"{count:.0f}{unit}")
    rest = round(rest, 3)
    return "".join(whole) if whole and not rest else f"{''.join(whole)}{rest:g}s"
