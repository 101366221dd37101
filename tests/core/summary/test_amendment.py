import pytest

from agent.core.failure import Classification
from agent.core.summary.summary import is_worth_amending

DEFAULT = Classification(category="unknown")


def matched(category: str, subcategory: str = "") -> Classification:
    return Classification(category=category, subcategory=subcategory, matched=True)


@pytest.mark.parametrize(
    ("reported", "now", "worth"),
    [
        (DEFAULT, matched("oom"), True),
        (matched("user"), matched("oom"), True),
        (matched("oom", "a"), matched("oom", "b"), True),
        (matched("oom"), matched("oom"), False),
        (matched("oom"), DEFAULT, False),
        (DEFAULT, DEFAULT, False),
    ],
)
def test_only_what_gives_another_category_is_worth_amending(
    *, reported: Classification, now: Classification, worth: bool
) -> None:
    assert is_worth_amending(now, reported=reported) is worth
