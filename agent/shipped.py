"""Files that come with failure-agent: the same in the tree and in the wheel."""

from pathlib import Path
from typing import Final

RULES: Final = "error-categories.yaml"
"""The error categories that hold where nobody names others."""

SUCCESSFUL_RUNS: Final = "successful-runs.xz"
"""Logs of runs that succeeded, to check rules with: ``failctl evaluate --successful``."""

_CONFIG: Final = Path(__file__).parent / "config"


def shipped(name: str) -> Path:
    """The path of a shipped file in ``config/``. Raises FileNotFoundError, which lists the files there are."""
    path = _CONFIG / name
    if not path.is_file():
        known = ", ".join(sorted(entry.name for entry in _CONFIG.iterdir()))
        raise FileNotFoundError(f"{name} is not shipped with failure-agent; shipped are {known}")
    return path
