"""Our cluster agent as a subject: ``failure-agent cluster`` as it is, and beside it a pulse that feels its loop stall.

Its argument is the settings file. For each line "figures" on its input it prints a line of JSON: stalls since the last
time, memory, processor time, and how much was watched, seen, spooled and published.
"""

import asyncio
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Final

from agent.cluster.app import run
from agent.cluster.config.files import ClusterFiles, Configuration, configuration_files
from agent.process.reloading import Reading
from agent.telemetry.logs import configure
from bench.subject.usage import cpu_seconds, memory_mb, samples

_PULSE_SECONDS: Final = 0.02
_OCCURRENCES: Final = "failure_agent_occurrences_total"
_PATH: Final = "failure_agent_detect_to_spool_seconds_bucket"
_PUBLISHED: Final = "failure_agent_published_total"
_OBJECTS: Final = "failure_agent_reflector_objects"


class Pulse:
    """How long the event loop took to come round again at worst, by the clock and by its own processor time."""

    def __init__(self) -> None:
        self.stall = 0.0
        self.busy = 0.0

    async def beat(self) -> None:
        """Beat until cancelled."""
        while True:
            at, used = time.monotonic(), time.thread_time()
            await asyncio.sleep(_PULSE_SECONDS)
            self.stall = max(self.stall, time.monotonic() - at - _PULSE_SECONDS)
            self.busy = max(self.busy, time.thread_time() - used)

    def read(self) -> dict[str, float]:
        """The worst since it was last read, in milliseconds."""
        worst = {"stall_ms": self.stall * 1e3, "busy_ms": self.busy * 1e3}
        self.stall = self.busy = 0.0
        return worst


def figures(pulse: Pulse) -> dict[str, object]:
    """All of them."""
    peak, resident = memory_mb()
    return {
        **pulse.read(),
        "peak_mb": peak,
        "resident_mb": resident,
        "cpu_seconds": cpu_seconds(),
        "occurrences": samples(_OCCURRENCES, "occurrence"),
        "detect_to_spool": (path := samples(_PATH, "le")),
        "spooled": path["+Inf"],
        "published": sum(samples(_PUBLISHED, "outcome").values()),
        "pods": samples(_OBJECTS, "kind").get("pod", 0.0),
    }


def _answer(pulse: Pulse) -> None:
    for _ in sys.stdin:
        print(json.dumps(figures(pulse)), flush=True)
    os._exit(0)


async def main(files: ClusterFiles, reading: Reading[Configuration]) -> None:
    """Run the agent until the input ends."""
    pulse = Pulse()
    threading.Thread(target=_answer, args=(pulse,), daemon=True).start()
    beating = asyncio.create_task(pulse.beat())
    await run(reading, files)
    beating.cancel()


if __name__ == "__main__":
    given = configuration_files(Path(sys.argv[1]), os.environ)
    read = given.read()
    configure(read.value.settings.log.level, read.value.settings.log.format)
    asyncio.run(main(given, read))
