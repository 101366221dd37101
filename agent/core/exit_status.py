"""How a container ended: which signal, and exit codes as an int32."""

from agent.core.evidence import ContainerState

SIGNAL_BASE = 128
"""A shell and the runtimes report death by signal n as exit code 128 + n (POSIX; reference/failure-taxonomy.md)."""

HIGHEST_SIGNAL = 64
"""The last real-time signal of Linux; codes above 128 + 64 are the program's own."""

_SIGN, _RANGE = 1 << 31, 1 << 32


def ending_signal(state: ContainerState) -> int | None:
    """The signal that the runtime reported, else the one that exit code 129 to 192 stands for; a reported 0 is none."""
    if state.signal:
        return state.signal
    code = state.exit_code
    if code is not None and SIGNAL_BASE < code <= SIGNAL_BASE + HIGHEST_SIGNAL:
        return code - SIGNAL_BASE
    return None


def as_int32(code: int) -> int:
    """Fold an unsigned 32-bit code, as Windows writes it, to int32: 3221225477 is -1073741819. Larger codes stay."""
    return code - _RANGE if _SIGN <= code < _RANGE else code
