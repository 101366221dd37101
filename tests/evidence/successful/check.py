"""``python -m tests.evidence.successful.check``: the rules that find infrastructure failures in runs that succeeded.

Each log is read as the end of the log of a container that exited with code 1, in windows of 4 KiB and of 64 KiB. A
match of a rule with origin infra or platform is a false name, whether it is the primary one or not.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from agent.core.classify.classifier import compile_rules
from agent.core.classify.rules import RuleSet
from agent.core.evidence import Container, ContainerKind, ContainerState, Evidence, LogTail, Pod, StateKind
from agent.core.failure import Match, Origin
from agent.documents.source import read_file
from agent.manifests.categories.load import load_categories
from agent.shipped import RULES, shipped
from tests.evidence.successful import Log, logs

WINDOWS: Final = (4 << 10, 64 << 10)
"""Bytes of the ends of logs that are read."""

_NAMED: Final = frozenset({Origin.INFRA, Origin.PLATFORM})
_SHOWN_TOOLS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseName:
    """A rule that names infrastructure or the platform in a window of a log, and the line that it found."""

    rule: str
    tool: str
    log: str
    window: int
    primary: bool
    line: str


def false_names(found: Iterable[Log], rules: RuleSet) -> Iterator[FalseName]:
    """Yield every false name of these rules in the logs. Raises RulesError where the rules cannot be compiled."""
    classifier = compile_rules(rules)
    origins = _origins(rules)
    for log in found:
        for size in WINDOWS:
            for window in windows(log.lines, size):
                text = "\n".join(window)
                result = classifier.classify(exited(text))
                if result.matches_left_out:
                    raise ValueError(f"{log.tool}/{log.name}: {result.matches_left_out} matches are not described")
                for number, match in enumerate(result.matches):
                    if origins[match.category, match.rule_index] in _NAMED:
                        yield FalseName(
                            rule=f"{match.category}/{match.subcategory} rule {match.rule_index + 1}",
                            tool=log.tool,
                            log=log.name,
                            window=size,
                            primary=number == 0,
                            line=_line_of(match, window),
                        )


def windows(lines: Sequence[str], size: int) -> Iterator[list[str]]:
    """Yield the lines in pieces of at most ``size`` bytes each, newlines counted; a longer line is a piece."""
    piece: list[str] = []
    used = 0
    for line in lines:
        length = len(line.encode()) + 1
        if piece and used + length > size:
            yield piece
            piece, used = [], 0
        piece.append(line)
        used += length
    if piece:
        yield piece


def exited(text: str) -> Evidence:
    """Return what is known of a pod whose container exited with code 1 after it logged this."""
    state = ContainerState(kind=StateKind.TERMINATED, reason="Error", exit_code=1)
    container = Container(name="main", kind=ContainerKind.APP, state=state, ended=state)
    pod = Pod(phase="Failed", containers=(container,))
    return Evidence(pod=pod, log_tails=(LogTail(container="main", text=text),))


def report(found: Iterable[FalseName]) -> Iterator[str]:
    """Yield the false names by rule, the most frequent first: how often, in which tools, and the shortest line."""
    by_rule: dict[str, list[FalseName]] = defaultdict(list)
    for one in found:
        by_rule[one.rule].append(one)
    for rule, names in sorted(by_rule.items(), key=lambda item: (-len(item[1]), item[0])):
        counts = ", ".join(f"{sum(name.window == size for name in names)} in {size >> 10} KiB" for size in WINDOWS)
        tools = sorted({name.tool for name in names})
        more = f" and {len(tools) - _SHOWN_TOOLS} more" if len(tools) > _SHOWN_TOOLS else ""
        primary = sum(name.primary for name in names)
        yield f"{rule}: {counts}, {primary} times primary; {', '.join(tools[:_SHOWN_TOOLS])}{more}"
        yield f"    {min((name.line for name in names), key=lambda line: (len(line), line))}"
    yield f"{sum(map(len, by_rule.values()))} false names by {len(by_rule)} rules"


def main(arguments: Sequence[str], out: TextIO) -> int:
    """Print the false names; 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.successful.check", description=__doc__)
    parser.add_argument("--rules", type=Path, default=shipped(RULES), help="a file of error categories (%(default)s)")
    file = parser.parse_args(arguments).rules
    found = list(false_names(logs(), load_categories(read_file(file), file=str(file))))
    out.writelines(f"{line}\n" for line in report(found))
    return 1 if found else 0


def _origins(rules: RuleSet) -> dict[tuple[str, int], Origin]:
    return {
        (category.name, number): rule.origin or category.origin or Origin.UNKNOWN
        for category in rules.categories
        for number, rule in enumerate(category.rules)
    }


def _line_of(match: Match, lines: Sequence[str]) -> str:
    """Return the line that holds what matched; a match of several lines is itself."""
    return next((line for line in lines if match.text in line), match.text).strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdout))
