"""``failctl evaluate --successful``: reports rules that blame infrastructure in logs of runs that succeeded."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Final, TextIO

from agent.console.exits import Exit
from agent.console.options import Form
from agent.console.progress import Progress
from agent.console.terminal import visible
from agent.core.classify.classifier import Classifier
from agent.core.classify.rules import RuleSet
from agent.core.units import counted
from agent.evaluate.successful import WINDOWS, Blame, FalseName, Log, successful_logs

_SHOWN_TOOLS: Final = 4
_SHOWN_BEFORE: Final = 40
_SHOWN_AFTER: Final = 120


def run(rules: RuleSet, classifier: Classifier, *, output: Form, out: TextIO, err: TextIO) -> Exit:
    """Print the false names of a rule file, which ``classifier`` applies; any of them exits with code 1."""
    blame = Blame(classifier, rules)
    logs = tuple(successful_logs())
    found = [
        name
        for log in Progress(err, noun="logs").counting(logs)
        for size in WINDOWS
        for name in blame.false_names(log, size=size)
    ]
    blamed = [name for name in found if not name.refused]
    if output == "json":
        json.dump(
            {"lines": _lines(logs), "logs": len(logs), "false_names": [asdict(false_name) for false_name in found]}, out
        )
        out.write("\n")
    else:
        out.writelines(f"{line}\n" for line in report(found))
        found_names, runs = counted(len(blamed), "false name"), counted(len(logs), "successful run")
        out.write(f"{counted(_lines(logs), 'line')} of {runs}: {found_names}\n")
    return Exit.FINDING if blamed else Exit.FINE


def report(found: Iterable[FalseName]) -> Iterator[str]:
    """Yield the false names by rule, the most frequent first, with the shortest line; refused ones as one number."""
    by_rule: dict[str, list[FalseName]] = defaultdict(list)
    refused = 0
    for false_name in found:
        if false_name.refused:
            refused += 1
        else:
            by_rule[false_name.rule].append(false_name)
    for rule, names in sorted(by_rule.items(), key=lambda item: (-len(item[1]), item[0])):
        yield from _of_rule(rule, names)
    yield f"refused matches, on which nothing acts: {refused}"


def _of_rule(rule: str, names: Sequence[FalseName]) -> Iterator[str]:
    counts = ", ".join(f"{sum(name.window == size for name in names)} in {size >> 10} KiB" for size in WINDOWS)
    tools = sorted({name.tool for name in names})
    more = f" and {len(tools) - _SHOWN_TOOLS} more" if len(tools) > _SHOWN_TOOLS else ""
    primary = sum(name.primary for name in names)
    yield f"{visible(rule)}: {counts}, {primary} times primary; {', '.join(tools[:_SHOWN_TOOLS])}{more}"
    yield f"    {visible(min((_around(name) for name in names), key=lambda line: (len(line), line)))}"


def _around(name: FalseName) -> str:
    """The line, or the part of a long line around the match."""
    start = max(0, name.line.find(name.text) - _SHOWN_BEFORE)
    return name.line[start : start + _SHOWN_BEFORE + max(_SHOWN_AFTER, len(name.text))]


def _lines(logs: Iterable[Log]) -> int:
    return sum(len(log.lines) for log in logs)
