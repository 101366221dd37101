"""Ids: a test of a long text is named by its beginning and its length. pytest's id is the whole text.

Every process of tests sends all ids to the one that hands tests out, and each is written for every test; some texts
have millions of characters. A plugin of pytest: ``tests.ids``.
"""

from typing import Final

MOST_CHARACTERS: Final = 200
_BEGINNING: Final = 60


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a long text; pytest names the rest."""
    if not isinstance(val, str | bytes) or len(val) <= MOST_CHARACTERS:
        return None
    return f"{val[:_BEGINNING]!r} of {len(val)}"
