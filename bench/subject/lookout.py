"""Our Lookout as a subject, wired as ``failure-agent lookout`` is.

For each line on its input, JSON with a settings file and a number of messages, it consumes that many and prints a line
of JSON: the seconds that it took, its processor time, and its memory. With the argument ``--profile`` it prints where
its time went for a line without settings.
"""

import cProfile
import gc
import json
import pstats
import sys
import time
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

from agent.broker.port import BrokerError
from agent.lookout.app import build, collect_rarely
from agent.lookout.config import configuration_files
from agent.lookout.ingest.topics import SUBSCRIPTION
from agent.telemetry.logs import configure
from bench.subject.consumed import PATIENCE_SECONDS, Watch
from bench.subject.usage import cpu_seconds, memory_mb


def consume(file: Path, number: int, *, profile: cProfile.Profile | None = None) -> dict[str, float]:
    """Consume this many messages; seconds until the last is acknowledged. Raises BrokerError if that takes too long."""
    with ExitStack() as stack:
        app = build(configuration_files(file, {}).read().value.settings, stack)
        watch = Watch(SUBSCRIPTION, number, stop=app.stop)
        cpu, began = cpu_seconds(), time.perf_counter()
        collect_rarely()
        watch.start()
        with profile or nullcontext():
            app.consumer.run(app.stop)
        watch.join()
        if watch.ended is None:
            raise BrokerError(f"not consumed within {PATIENCE_SECONDS:.0f} s: {app.consumer.check()}")
        cpu = cpu_seconds() - cpu
    gc.unfreeze()  # a process starts once: what one leaves behind is no memory of the next
    gc.collect()
    peak, now = memory_mb()
    return {"seconds": watch.ended - began, "cpu_seconds": cpu, "peak_mb": peak, "now_mb": now}


def main() -> None:
    """Answer every line."""
    configure("error", "json")
    profile = cProfile.Profile(time.perf_counter) if "--profile" in sys.argv else None
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line), profile)), flush=True)


def _answer(asked: dict[str, Any], profile: cProfile.Profile | None) -> dict[str, float]:
    if asked:
        return consume(Path(asked["settings"]), asked["messages"], profile=profile)
    if profile is not None:
        pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(60)
    return {}


if __name__ == "__main__":
    main()
