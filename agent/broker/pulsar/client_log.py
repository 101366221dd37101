"""The log of the client library, passed on to ours.

The library writes to a pipe. Given a Python logger, its threads would call into an interpreter that may be exiting.
"""

import os
import re
from functools import cache
from threading import Thread
from typing import Final

import pulsar
import structlog

_log = structlog.get_logger(__name__)
_LINE: Final = re.compile(r"\S+ \S+ (?P<level>[A-Z]+) +\[\d+\] (?P<words>.*)")


@cache
def client_log() -> pulsar.FileLogger:
    """The one log of all clients in this process: their warnings become info lines, their errors warnings."""
    reading, writing = os.pipe()
    Thread(target=_read, args=(reading,), name="pulsar client's log", daemon=True).start()
    return pulsar.FileLogger(pulsar.LoggerLevel.Warn, f"/dev/fd/{writing}")


def _read(reading: int) -> None:
    with os.fdopen(reading, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            found = _LINE.match(line)
            words = found["words"] if found else line.rstrip("\n")
            if found and found["level"] == "WARN":
                _log.info("pulsar client", said=words)
            else:
                _log.warning("pulsar client", said=words)
