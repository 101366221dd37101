"""The split rule of a PanDA task: ``NG=10,MF=5``, and rules within one: ``RM=NG:20|MF:10``."""

from collections.abc import Mapping

TAGS: Mapping[str, str] = {
    "nEventsPerJob": "NE",
    "nFilesPerJob": "NF",
    "nGBPerJob": "NG",
    "nMaxFilesPerJob": "MF",
    "retryModuleRules": "RM",
}
"""The syntax of the rules that matter here."""


def value(text: str | None, tag: str, *, within: bool = False) -> str | None:
    """The value of a rule, the last one if repeated, ``None`` if not set; ``within`` reads rules within a rule."""
    between, sets = _marks(within=within)
    found = [rule.split(sets)[-1] for rule in (text or "").split(between) if rule.startswith(tag + sets)]
    return found[-1] if found else None


def last_value(text: str | None, tag: str) -> str | None:
    """The value of a rule, the last one if repeated."""
    found = [rule for rule in (text or "").split(",") if rule.startswith(f"{tag}=")]
    return found[-1].replace(f"{tag}=", "") if found else None


def with_value(text: str | None, tag: str, new: object, *, within: bool = False) -> str:
    """The text with this rule set, at its end."""
    between, sets = _marks(within=within)
    others = [rule for rule in (text or "").split(between) if rule and not rule.startswith(tag + sets)]
    return between.join([*others, f"{tag}{sets}{new}"])


def _marks(*, within: bool) -> tuple[str, str]:
    return ("|", ":") if within else (",", "=")
