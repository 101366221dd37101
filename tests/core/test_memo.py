from collections.abc import Callable
from itertools import count

from agent.core.evidence import Taint
from agent.core.memo import memo


def _numbered(*, capacity: int) -> Callable[[Taint], int]:
    """Gives each taint that it is asked to make the next number."""
    numbers = count(1)

    def number(_: Taint) -> int:
        return next(numbers)

    return memo(number, capacity=capacity)


def test_each_source_is_made_once_and_an_equal_one_is_another() -> None:
    remembered = _numbered(capacity=9)
    one, equal = Taint(key="k"), Taint(key="k")
    assert [remembered(one), remembered(one), remembered(equal), remembered(one)] == [1, 1, 2, 1]


def test_all_are_dropped_when_there_are_too_many() -> None:
    remembered = _numbered(capacity=2)
    first, *others = [Taint(key=str(number)) for number in range(3)]
    assert [remembered(first), *map(remembered, others), remembered(first)] == [1, 2, 3, 4]
