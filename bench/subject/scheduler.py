"""Our scheduler as a subject: ``failure-agent scheduler`` as it is.

Its argument is the settings file. For each line "figures" on its input it prints a line of JSON: processor time, how
many runs it decided, and how long after their failure was observed, as a cumulative histogram.
"""

import json
import os
import sys
import threading
from pathlib import Path
from typing import Final

from agent.scheduler.app import run
from agent.scheduler.config.files import configuration_files
from agent.telemetry.logs import configure
from bench.subject.usage import cpu_seconds, samples

_PATH: Final = "failure_agent_detect_to_decision_seconds_bucket"


def figures() -> dict[str, object]:
    """All of them."""
    path = samples(_PATH, "le")
    return {"cpu_seconds": cpu_seconds(), "decided": path["+Inf"], "detect_to_decision": path}


def _answer() -> None:
    for _ in sys.stdin:
        print(json.dumps(figures()), flush=True)
    os._exit(0)


if __name__ == "__main__":
    given = configuration_files(Path(sys.argv[1]), os.environ)
    read = given.read()
    configure(read.value.settings.log.level, read.value.settings.log.format)
    threading.Thread(target=_answer, daemon=True).start()
    sys.exit(run(read, given))
