"""What is asked for is stopped when it takes too long, and leaves the connection as it was."""

import pytest
from sqlalchemy import Select, func, literal, select

from agent.lookout.query.reader import Reader, Reading
from agent.lookout.query.refusal import TooSlow
from agent.lookout.query.sight import EVERYTHING
from agent.store.store import Store


def counting(to: int) -> Select[tuple[int]]:
    """A statement that counts to a number, one by one."""
    numbers = select(literal(1).label("number")).cte("numbers", recursive=True)
    numbers = numbers.union_all(select(numbers.c.number + 1).where(numbers.c.number < to))
    return select(func.max(numbers.c.number))


def test_what_takes_too_long_is_stopped(database: Store) -> None:
    impatient = Reader(database, seconds=0.2)
    said = r"took more than 0\.2 s, so it was stopped; ask for a shorter time with since"
    with pytest.raises(TooSlow, match=said), impatient.reading(EVERYTHING) as reading:
        reading.number(counting(10**9))

    for reader in (impatient, Reader(database)):
        with reader.reading(EVERYTHING) as reading:
            assert reading.number(counting(1000)) == 1000


def test_what_takes_too_long_together_is_stopped(database: Store) -> None:
    with pytest.raises(TooSlow), Reader(database, seconds=0.5).reading(EVERYTHING) as reading:
        ask_often(reading)


def ask_often(reading: Reading) -> None:
    """Seconds of short statements."""
    for _ in range(200):
        reading.number(counting(50_000))
