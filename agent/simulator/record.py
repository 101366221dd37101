"""The simulator's own record of the runs it ended: the ground truth for tests and the demo."""

from datetime import datetime
from pathlib import Path
from typing import Final, TextIO

import msgspec

from agent.simulator.kinds import Json
from agent.simulator.times import milliseconds

# The labels by which a pod says whose run it is: the agent's, else those of Armada's executor.
JOB: Final = "failure-agent.dev/job"
RUN: Final = "failure-agent.dev/run"
RUN_INDEX: Final = "failure-agent.dev/run-index"
ARMADA_JOB: Final = "armada_job_id"
ARMADA_RUN: Final = "armada_job_run_id"


def job_id(pod: Json) -> str:
    """The pod's job; ``""`` if it says none."""
    return _first(pod, JOB, ARMADA_JOB)


def run_id(pod: Json) -> str:
    """The pod's run; ``""`` if it says none."""
    return _first(pod, RUN, ARMADA_RUN)


def _first(pod: Json, *names: str) -> str:
    labels = pod["metadata"].get("labels") or {}
    return next((str(labels[name]) for name in names if labels.get(name)), "")


class RunRecord:
    """An append-only JSON-lines file, one row a run that ended or was stopped, and one per restart within a run.

    Each row is flushed before anything else happens, so a killed simulator has recorded all it did. Without a file the
    rows are only counted.
    """

    def __init__(self, path: Path | None) -> None:
        self._file: TextIO | None = None if path is None else path.open("a", encoding="utf-8")
        self.ended = 0
        self.in_run = 0

    def write(self, pod: Json, *, script: str, kind: str, at: datetime, in_run: bool) -> None:
        """Write one row; ``ended_at`` is in milliseconds of Unix time."""
        meta = pod["metadata"]
        row = {
            "pod_uid": meta["uid"],
            "namespace": meta["namespace"],
            "name": meta["name"],
            "job_id": job_id(pod),
            "run_id": run_id(pod) or meta["uid"],
            "script": script,
            "kind": kind,
            "ended_at": milliseconds(at),
            "in_run": in_run,
        }
        if in_run:
            self.in_run += 1
        else:
            self.ended += 1
        if self._file is not None:
            self._file.write(msgspec.json.encode(row).decode() + "\n")
            self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
