"""Exit codes of processes, and the errors that lead to them."""

import sys
from collections.abc import Callable, Mapping
from enum import IntEnum


class Exit(IntEnum):
    """0 fine, 1 something failed, 2 wrong usage or settings, 3 something is unreachable."""

    FINE = 0
    FAILED = 1
    USAGE = 2
    UNREACHABLE = 3


Expected = Mapping[Exit, tuple[type[Exception], ...]]
"""The errors that end a process with a code. The first kind that fits counts: put the narrower before the wider."""


def exit_of(run: Callable[[], Exit], expected: Expected) -> Exit:
    """Run to the end. An expected error goes to standard error without a traceback; any other is raised."""
    try:
        return run()
    except tuple(kind for kinds in expected.values() for kind in kinds) as error:
        sys.stderr.write(f"{error}\n")
        return next(code for code, kinds in expected.items() if isinstance(error, kinds))
