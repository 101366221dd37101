"""A process that spools the same reports from the start each time and says after each commit how far it is."""

import sys
from datetime import UTC, datetime
from pathlib import Path

from agent.cluster.spool.entries import Known, Report
from agent.cluster.spool.spool import Spool

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def main(path: Path, count: int, group: int) -> None:
    spool = Spool.open(path, cluster="east", max_bytes=1 << 30, keep_acknowledged=10)
    for first in range(0, count, group):
        entries: list[Report | Known] = []
        for number in range(first, first + group):
            uid = f"pod-{number}"
            entries.append(Known(uid=uid, entry=b"seen"))
            entries.append(
                Report(
                    event_id=f"event-{number}",
                    pod_uid=uid,
                    key="job",
                    payload=b"x" * 500,
                    properties={"event_id": f"event-{number}"},
                    event_time=NOW,
                )
            )
        spool.commit(entries, now=NOW)
        sys.stdout.write(f"{first + group}\n")
        sys.stdout.flush()
    spool.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
