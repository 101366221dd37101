"""The parameters of a rule: ``key1=value1&key2=value2``."""

from collections.abc import Mapping

from agent.core.error_table.row import ErrorRule

MAX_ATTEMPT = "maxAttempt"
"""The limit of ``limit_retry``: N runs in total."""

WIKI_MAX_ATTEMPT = "maxAttempts"
"""The spelling in the prose of PanDA's wiki; strict mode accepts it."""

STEPS = "steps"
EXCLUDED_RULES = "excluded_rules"

DEFAULT_STEPS = (2, 4, 7)
"""From which attempt ``reduce_input_per_job`` halves, quarters, and gives a job one file."""


def split(text: str | None) -> Mapping[str, str]:
    """The parameters. One invalid pair drops them all; if a key is given twice, the last value counts."""
    pairs = [pair.split("=") for pair in (text or "").split("&")]
    if any(len(pair) != 2 for pair in pairs):  # noqa: PLR2004 - a key and a value
        return {}
    return {key: value for key, value in pairs}  # noqa: C416 - a pair is a list here, which dict() does not take typed


def limit_of(rule: ErrorRule) -> int | None:
    """The total number of runs that a ``limit_retry`` rule allows, by either spelling; ``None`` if not given."""
    given = split(rule.parameters)
    written = given.get(MAX_ATTEMPT, given.get(WIKI_MAX_ATTEMPT))
    limit = None if written is None else as_int(written)
    return None if limit is None or limit < 0 else limit


def steps_of(text: str | None) -> tuple[int, int, int]:
    """The three attempts of ``steps``. Raises ValueError unless it has three whole numbers."""
    if not text:
        return DEFAULT_STEPS
    low, middle, high = [int(step) for step in text.split(",")]
    return low, middle, high


def as_int(text: str) -> int | None:
    """The whole number that a text is, as Python reads one."""
    try:
        return int(text)
    except ValueError:
        return None
