from collections.abc import Callable
from itertools import count

from agent.core.evidence import Taint
from agent.core.memo import keep_last, memo


def _numbering() -> Callable[[Taint], int]:
    """Gives each taint that it is asked to make the next number."""
    numbers = count(1)

    def number(_: Taint) -> int:
        return next(numbers)

    return number


def _numbered(*, capacity: int) -> Callable[[Taint], int]:
    return memo(_numbering(), capacity=capacity)


def test_each_source_is_made_once_and_an_equal_one_is_another() -> None:
    remembered = _numbered(capacity=9)
    taint, equal = Taint(key="k"), Taint(key="k")
    assert [remembered(taint), remembered(taint), remembered(equal), remembered(taint)] == [1, 1, 2, 1]


def test_all_are_dropped_when_there_are_too_many() -> None:
    remembered = _numbered(capacity=2)
    first, *others = [Taint(key=str(number)) for number in range(3)]
    assert [remembered(first), *map(remembered, others), remembered(first)] == [1, 2, 3, 4]


def test_the_last_one_is_kept_until_another_is_made() -> None:
    remembered = keep_last(_numbering())
    taint, equal = Taint(key="k"), Taint(key="k")
    assert [remembered(taint), remembered(taint), remembered(equal), remembered(taint)] == [1, 1, 2, 3]
