"""All benchmarks, or those that are named, one after the other, and one table of what they hold to targets.

    python -m bench [--quick] [--floor SHARE] [--again NUMBER] [--compare FILE] [PROGRAM ...]

The table goes to standard output, everything else to standard error: keep it in a file, and name that file with
``--compare`` to see what each figure was. If a figure of a program is below the floor, the program is measured
``--again`` times more, and the median of each figure decides: a machine that was busy for a moment does not fail, but a
loss does. Exits 1 if a figure is below the floor, and if a program could not be measured; the last lines say which.
"""

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from bench.report.run import Outcome, failures, run, settle
from bench.report.table import Kept, read, table

FOLDER: Final = Path(__file__).parent


def main(arguments: Sequence[str], *, folder: Path = FOLDER) -> int:
    """Run the benchmarks of a folder, print the table, and return the exit code."""
    programs = {file.stem: file for file in sorted(folder.glob("*.py")) if not file.stem.startswith("_")}
    parser = _parser(programs)
    given = parser.parse_args(arguments)
    if unknown := set(given.programs) - programs.keys():
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are: {', '.join(programs)}")
    try:
        kept = read(given.compare.read_text(encoding="utf-8")) if given.compare else None
    except (OSError, ValueError) as error:
        parser.error(f"--compare {given.compare}: {error}")
    return _run([programs[name] for name in given.programs or programs], given, kept)


def _run(programs: Sequence[Path], given: Namespace, kept: Kept | None) -> int:
    outcomes = {}
    for number, program in enumerate(programs, start=1):
        label = f"{program.stem} --quick" if given.quick else program.stem
        measure = partial(_measure, program, f"{label} ({number} of {len(programs)})", given)
        outcomes[label] = settle(measure, floor=given.floor, again=given.again)
    print(table(outcomes, floor=given.floor, kept=kept))
    failed = list(failures(outcomes, floor=given.floor))
    for line in failed:  # last, because of a long output often only the end is kept
        print(line)
    return 1 if failed else 0


def _measure(program: Path, label: str, given: Namespace) -> Outcome:
    _say(f"\n--- {label}")
    began = time.monotonic()
    outcome = run(program, [f"--floor={given.floor}", *(["--quick"] if given.quick else [])])
    _say(f"--- {label}: {time.monotonic() - began:.0f} s")
    return outcome


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _parser(programs: Iterable[str]) -> ArgumentParser:
    parser = ArgumentParser(prog="python -m bench", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(programs))
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller samples")
    parser.add_argument(
        "--floor", type=float, default=1.0, metavar="SHARE", help="the share of a target that is enough"
    )
    parser.add_argument("--again", type=int, default=0, metavar="NUMBER", help="measure again so often below the floor")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="a table of before to compare with")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
