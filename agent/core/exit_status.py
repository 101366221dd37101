"""How a container exited: signals, and exit codes as int32."""

from agent.core.evidence import ContainerState

SIGNAL_BASE = 128
"""A shell and the runtimes report death by signal n as exit code 128 + n (POSIX)."""

HIGHEST_SIGNAL = 64
"""The last real-time signal of Linux; codes above 128 + 64 are the program's own."""

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
"""Signals of Linux by name (signal(7), x86 and ARM); if a number has two names, the usual one comes first."""

_SIGN, _RANGE = 1 << 31, 1 << 32


def ending_signal(state: ContainerState) -> int | None:
    """The signal that the runtime reported, else the one implied by exit code 129 to 192; a reported 0 is no signal."""
    if state.signal:
        return state.signal
    code = state.exit_code
    if code is not None and SIGNAL_BASE < code <= SIGNAL_BASE + HIGHEST_SIGNAL:
        return code - SIGNAL_BASE
    return None


def as_int32(code: int) -> int:
    """Fold an unsigned 32-bit code, as Windows writes it, to int32: 3221225477 is -1073741819. Larger codes stay."""
    return code - _RANGE if _SIGN <= code < _RANGE else code
