"""JobSet's feature gates, as arguments. Both are off by default, as upstream (features.go, alpha)."""

from dataclasses import dataclass

RESTART_JOB = "RestartJob"
IN_PLACE_RESTART = "InPlaceRestart"
NAMES = (RESTART_JOB, IN_PLACE_RESTART)
"""The gates, by upstream's names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gates:
    """Which alpha features are on: restarting one Job alone, restarting pods in place."""

    restart_job: bool = False
    in_place_restart: bool = False


ALL_OFF = Gates()
ALL_ON = Gates(restart_job=True, in_place_restart=True)


def gates_of(named: dict[str, bool]) -> Gates:
    """Return the gates with these set, by upstream's names. Raises KeyError for an unknown name."""
    unknown = [name for name in named if name not in NAMES]
    if unknown:
        raise KeyError(unknown[0])
    return Gates(
        restart_job=named.get(RESTART_JOB, False),
        in_place_restart=named.get(IN_PLACE_RESTART, False),
    )
