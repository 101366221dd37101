"""SIGTERM and SIGINT stop a process, also the background job of a script."""

import signal
import sys

import pytest

from tests.child import PIPE, Child
from tests.ground.tree import ROOT

pytestmark = pytest.mark.slow

WAITING = {
    "an event": """
import asyncio
from agent.process.stopping import stop_requested

async def wait():
    with stop_requested() as asked:
        print("waiting", flush=True)
        await asked.wait()

asyncio.run(wait())
""",
    "a flag": """
import threading, time
from agent.process.stopping import watch_for_stop

with watch_for_stop() as asked:
    worker = threading.Thread(target=time.sleep, args=(600,), daemon=True)
    worker.start()
    print("waiting", flush=True)
    asked.wait_for_stop_or_end(worker)
""",
    "an exception": """
import time
from agent.process.stopping import Stopped, stop_raised

try:
    with stop_raised():
        print("waiting", flush=True)
        while True:  # a signal between Python's last look and a long sleep would be seen after it
            time.sleep(0.1)
except Stopped as stopped:
    print(stopped, stopped.code)
""",
}
SAID = {"an exception": {signal.SIGTERM: "SIGTERM 143\n", signal.SIGINT: "SIGINT 130\n"}}
BACKGROUND_JOB = ["sh", "-c", "trap '' INT QUIT; exec \"$@\"", "sh"]


@pytest.mark.parametrize("kind", WAITING)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_either_signal_stops_the_background_job_of_a_script(kind: str, number: signal.Signals) -> None:
    with Child([*BACKGROUND_JOB, sys.executable, "-c", WAITING[kind]], cwd=ROOT, stdout=PIPE) as process:
        assert process.line() == "waiting\n"
        process.send(number)

        assert process.rest()[0] == SAID.get(kind, {}).get(number, "")
        assert process.wait() == 0
