"""Starts one command and reports its exit and its peak memory in KiB.

A small process without imports of ours, because a process starts with the memory of the one that it is forked from.
"""

import json
import os
import resource
import sys

MOST_ADDRESSES = 8 << 30
"""What would take more fails of itself, before it takes the machine with it."""


def main() -> None:
    """Read ``{"argv", "env", "closedStdin", "report"}`` from the first argument; write the end into ``report``."""
    asked = json.loads(sys.argv[1])
    pid = os.fork()
    if pid == 0:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
        if asked["closedStdin"]:
            os.close(0)
        argv = [word.encode("utf-8", "surrogateescape") for word in asked["argv"]]
        os.execve(argv[0], argv, asked["env"])  # noqa: S606 - a shell would read the arguments
    _, status, usage = os.wait4(pid, 0)
    with open(asked["report"], "w", encoding="utf-8") as report:  # noqa: PTH123 - quicker than importing pathlib
        json.dump({"exit": os.waitstatus_to_exitcode(status), "kib": usage.ru_maxrss}, report)


main()
