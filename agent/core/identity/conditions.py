"""The types of our pod conditions, by which a ``podFailurePolicy`` knows why a pod failed.

``Infrastructure``: hardware, a node or the platform caused the failure. ``Hopeless``: no retry helps. Each category
whose rule file says ``condition: true`` has one more, named after it.
"""

import re
from typing import Final

PREFIX: Final = "failure-agent.dev/"
INFRASTRUCTURE: Final = f"{PREFIX}Infrastructure"
HOPELESS: Final = f"{PREFIX}Hopeless"

CATEGORY_PREFIX: Final = "Category-"
LONGEST_NAME: Final = 63
"""The most bytes of a condition's type after the slash (apimachinery ``IsQualifiedName``)."""

LONGEST_CATEGORY: Final = LONGEST_NAME - len(CATEGORY_PREFIX)
_NAMEABLE: Final = re.compile(r"[-A-Za-z0-9_.]*[A-Za-z0-9]")


def of_category(category: str) -> str:
    """Return the type of a category's condition."""
    return f"{PREFIX}{CATEGORY_PREFIX}{category}"


def category_of(condition: str) -> str | None:
    """Return the category whose condition this is; ``None`` if it is another one."""
    start = of_category("")
    return condition.removeprefix(start) if condition.startswith(start) and condition != start else None


def can_be_named(category: str) -> bool:
    """Return whether the API server accepts a category's condition: it refuses the pod's whole status otherwise."""
    return len(category) <= LONGEST_CATEGORY and _NAMEABLE.fullmatch(category) is not None
