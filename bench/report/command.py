"""What the command lines of all benchmarks have in common, and how their figures are printed."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence

import msgspec

from bench.report.held import Held, are_met, lines


def options(doc: str | None, *, quick: str) -> ArgumentParser:
    """A parser with the options of every benchmark. ``doc`` is the program's docstring, ``quick`` what that does."""
    parser = ArgumentParser(description=doc.split("\n\n")[0] if doc else None)
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument(
        "--floor", type=float, default=1.0, metavar="SHARE", help="the share of a target that is enough (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON last")
    return parser


def report(held: Sequence[Held], figures: Mapping[str, object], *, given: Namespace) -> int:
    """Print whether each target is met, and with ``--json`` these and the benchmark's own figures; the exit code."""
    print("\n".join(lines(held, given.floor)))
    if given.json:
        print(json.dumps({**figures, "held": msgspec.to_builtins(held)}))
    return 0 if are_met(held, given.floor) else 1


def report_not_run(why: Exception, *, given: Namespace) -> int:
    """Print why nothing was measured; the exit code."""
    print(why)
    if given.json:
        print(json.dumps({"not_run": str(why)}))
    return 1
