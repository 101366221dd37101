"""Inputs drawn once and damaged often: a whole pod or failure takes longer to draw than to look at."""

from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

T = TypeVar("T")

QUICK = settings(
    max_examples=200,
    deadline=None,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


def drawn(strategy: st.SearchStrategy[T], number: int) -> list[T]:
    """So many values of a strategy."""
    values: list[T] = []

    @settings(QUICK, max_examples=number)
    @given(value=strategy)
    def draw(value: T) -> None:
        values.append(value)

    draw()
    return values


@st.composite
def damaged(draw: st.DrawFn, payloads: st.SearchStrategy[bytes]) -> bytes:
    """A payload with a few bytes replaced, taken out or put in; often with none."""
    payload = bytearray(draw(payloads))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(payload)))
        payload[at : at + draw(st.integers(0, 2))] = draw(st.binary(max_size=3))
    return bytes(payload)
