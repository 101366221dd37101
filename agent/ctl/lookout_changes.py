"""When what a Lookout shows has changed, by its stream of events (``/changes``)."""

import http.client
import os
import threading
from typing import Final

from agent.console.exits import CommandError
from agent.ctl.lookout_api import BASE, connection_to
from agent.ctl.server import user
from agent.wire import caller

_PATH: Final = f"{BASE}/changes?scope=all"
_QUIET_SECONDS: Final = 45.0
"""A quiet stream has a comment every 15 s."""
_AGAIN_SECONDS: Final = 2.0
"""When a stream that broke is opened again."""
_DATA: Final = b"data:"


class LookoutChanges:
    """Writes a byte to a pipe for each change, from a thread, and whenever it cannot know whether there was one."""

    def __init__(self, url: str) -> None:
        self._url: Final = url
        self._stop: Final = threading.Event()
        self.news, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._thread: Final = threading.Thread(target=self._hear, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Hear no more. The thread ends with the process, if it is waiting for the next event."""
        self._stop.set()

    def _hear(self) -> None:
        while not self._stop.is_set():
            try:
                self._hear_one()
            except (OSError, http.client.HTTPException, CommandError):
                # What is wrong, the next question to the Lookout says, if it is still wrong then.
                self._stop.wait(_AGAIN_SECONDS)
            self._tell()

    def _hear_one(self) -> None:
        """One stream, until it ends. Raises OSError and HTTPException."""
        connection = connection_to(self._url, _QUIET_SECONDS)
        try:
            headers = {"Accept": "text/event-stream", caller.WHO: caller.encode(user())}
            connection.request("GET", _PATH, headers=headers)
            response = connection.getresponse()
            while not self._stop.is_set() and (line := response.readline()):
                if line.startswith(_DATA):
                    self._tell()
            self._stop.wait(_AGAIN_SECONDS)
        finally:
            connection.close()

    def _tell(self) -> None:
        try:
            os.write(self._write, b".")
        except BlockingIOError:
            return  # the pipe is full of what nobody has read yet
