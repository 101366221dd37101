"""How ``onSignals`` is written: a list of numbers, or of the names of Linux's signals (signal(7), x86 and ARM)."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema

from agent.core.classify.matchers.signals import Signals
from agent.core.exit_status import HIGHEST_SIGNAL, SIGNALS
from agent.documents.problem import nearest_or_all, quote
from agent.documents.shape import refuse
from agent.manifests.matchers.written import Written


def read_signal(signal: object) -> object:
    """Read a signal by name or number."""
    if isinstance(signal, str):
        if signal not in SIGNALS:
            raise refuse("unknown-signal", f"unknown signal {quote(signal)}", hint=nearest_or_all(signal, [*SIGNALS]))
        return SIGNALS[signal]
    if isinstance(signal, int) and not 1 <= signal <= HIGHEST_SIGNAL:
        raise refuse("out-of-range", f"signals are numbered from 1 to {HIGHEST_SIGNAL}")
    return signal


Signal = Annotated[
    int,
    BeforeValidator(read_signal),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1, "maximum": HIGHEST_SIGNAL}, {"enum": [*SIGNALS]}]}),
]
"""A signal, by name or number."""


def compile_signals(numbers: Sequence[int]) -> Signals:
    return Signals(values=frozenset(numbers))


OnSignals = Annotated[
    list[Signal] | None, Written(matcher=Signals, compile=compile_signals, tag="Signals", is_list=True)
]
