"""Feature gates of JobSets, as the command line names them."""

from collections.abc import Sequence

from agent.core.jobset.gates import NAMES, Gates, gates_of
from agent.ctl.exits import UsageError


def gates_switched(names: Sequence[str]) -> Gates:
    """Return the gates with these on. Raises UsageError for a name that is none."""
    try:
        return gates_of(dict.fromkeys(names, True))
    except KeyError as unknown:
        raise UsageError(f"--gate {unknown.args[0]}: one of {', '.join(NAMES)}") from unknown
