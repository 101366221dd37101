"""Logs of runs that succeeded: builds, installs, tests, and servers that were disturbed and stopped.

A rule that finds an infrastructure failure in one of them is wrong: ``failctl evaluate --successful``, test_runs.py.
``recipes.yaml`` has the commands. ``make`` runs them (``make successful``) and packs ``config/successful-runs.xz``,
which ships, and ``manifest.yaml`` beside this file: the command, the lines and the survived problems of each log.

Kept are the lines that differ once numbers, paths and ids are masked (``mask.py``), in order, at most a tenth of a tool
(``selection.py``); and next to a problem that a run survived also lines that repeat, since only there it is seen that
the program tried again. Of 2,119,315 lines that were made, 357,872 are kept, of 42 tools; 356,383 differ once masked.
``make long`` checks all that it makes. Machine names, folders, registries and people are replaced (``clean.py``).
"""

from pathlib import Path
from typing import Final

MANIFEST: Final = Path(__file__).with_name("manifest.yaml")
