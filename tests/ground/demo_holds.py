"""``python -m tests.ground.demo_holds FILE``: the last line of a demo's output keeps what the demo promises."""

import json
import sys
from pathlib import Path
from typing import Any

KINDS = 12
"""The demo plays at least this many kinds of failures."""

NONE = ("lost", "duplicates", "unfinished", "overlaps", "after_end", "unaccepted", "lookout_differences")
"""Figures that must be 0."""


def broken_promises(result: dict[str, Any]) -> list[str]:
    """What the object on a demo's last line says that it must not."""
    failures = result["failures"]
    ended = sum(result[name] for name in ("succeeded", "recovered", "failed_final"))
    all_failures = dict.fromkeys(("classified", "decided", "lookout_failures"), failures)
    wanted = {**dict.fromkeys(NONE, 0), **all_failures, "submitted": ended}
    broken = [f"{name} is {result[name]}, not {value}" for name, value in wanted.items() if result[name] != value]
    if failures < KINDS:
        broken.append(f"failures is {failures}, fewer than the {KINDS} kinds that are played")
    broken += [f"{name} is 0" for name in ("retried", "recovered") if not result[name]]
    return broken


if __name__ == "__main__":
    last = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()[-1]
    sys.stdout.write(f"{last}\n")
    sys.exit("\n".join(broken_promises(json.loads(last))) or 0)
