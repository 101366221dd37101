"""Running files of cases, and the tally of it."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from tests.cases.adapter import Adapter, Differs
from tests.cases.adapters import adapter_for
from tests.cases.case import Case, cases_of

DATA = frozenset({"panda-error-codes.json"})
"""Files that hold data, not cases; they are never run."""


@dataclass(slots=True)
class Tally:
    """How many passed and failed; and how many are about something only their own system has, by the reason.

    ``apart`` counts, by the reason, those of which one run was not compared; they are among the others too.
    """

    passed: int = 0
    failed: int = 0
    own: Counter[str] = field(default_factory=Counter)
    apart: Counter[str] = field(default_factory=Counter)

    @property
    def seen(self) -> int:
        """How many cases there were."""
        return self.passed + self.failed + self.own.total()


def run_files(files: Sequence[Path], *, only: Sequence[str], out: TextIO) -> Tally:
    """Run the cases of these files, all or those of the groups named. Prints each that fails, then the tally."""
    tally = Tally()
    for file in files:
        if file.name in DATA:
            out.write(f"{file.name} is data, not cases\n")
        else:
            _run_file(file, only=only, tally=tally, out=out)
    out.writelines(f"{count} own system only: {reason}\n" for reason, count in sorted(tally.own.items()))
    out.writelines(f"{count} counted apart: {reason}\n" for reason, count in sorted(tally.apart.items()))
    out.write(f"{tally.passed} passed, {tally.failed} failed\n")
    return tally


def _run_file(file: Path, *, only: Sequence[str], tally: Tally, out: TextIO) -> None:
    adapter = adapter_for(file)
    settings = adapter.settings if adapter else frozenset[str]()
    for case in cases_of(json.loads(file.read_bytes()), settings=settings):
        if only and not any(case.belongs_to(group) for group in only):
            continue
        reason = adapter.own(case) if adapter else None
        aside = adapter.apart(case) if adapter else None
        tally.apart.update(() if aside is None else (aside,))
        if reason is not None:
            tally.own[reason] += 1
        elif (why := _run(case, adapter)) is None:
            tally.passed += 1
        else:
            tally.failed += 1
            out.write(f"FAILED {file.name} {case.path}: {case.identity}: {why}\n")


def _run(case: Case, adapter: Adapter | None) -> str | None:
    """Return why a case fails, ``None`` if it passes."""
    run = adapter.run_for(case) if adapter else None
    if run is None:
        return "no adapter"
    try:
        run(case)
    except Differs as difference:
        return str(difference)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in a case is its failure, and is printed
        return f"{type(error).__name__}: {error}"
    return None
