"""How ``onSignals`` is written: a list of numbers, or of the names of Linux's signals (signal(7), x86 and ARM)."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema

from agent.core.classify.matchers.signals import Signals
from agent.core.exit_status import HIGHEST_SIGNAL
from agent.documents.problem import nearest_or_all, quote
from agent.documents.shape import refuse
from agent.manifests.matchers.written import Written

SIGNALS = {
    "SIGHUP": 1,
    "SIGINT": 2,
    "SIGQUIT": 3,
    "SIGILL": 4,
    "SIGTRAP": 5,
    "SIGABRT": 6,
    "SIGIOT": 6,
    "SIGBUS": 7,
    "SIGFPE": 8,
    "SIGKILL": 9,
    "SIGUSR1": 10,
    "SIGSEGV": 11,
    "SIGUSR2": 12,
    "SIGPIPE": 13,
    "SIGALRM": 14,
    "SIGTERM": 15,
    "SIGSTKFLT": 16,
    "SIGCHLD": 17,
    "SIGCONT": 18,
    "SIGSTOP": 19,
    "SIGTSTP": 20,
    "SIGTTIN": 21,
    "SIGTTOU": 22,
    "SIGURG": 23,
    "SIGXCPU": 24,
    "SIGXFSZ": 25,
    "SIGVTALRM": 26,
    "SIGPROF": 27,
    "SIGWINCH": 28,
    "SIGIO": 29,
    "SIGPOLL": 29,
    "SIGPWR": 30,
    "SIGSYS": 31,
}
"""Number by name."""


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
