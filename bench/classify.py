"""Classification beside the loops one would write: ours, ``re`` and ``regex``, in turns on the same failures.

All three give the first rule that matches; ours also says what matched where, and which others did. ``--quick`` takes
fewer rounds; ``--json`` prints one line of JSON last. Exits 1 below a target.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Protocol

import regex

from agent.core.classify import rules as words
from agent.core.classify.classifier import compile_rules
from agent.core.classify.rules import RuleSet
from agent.core.evidence import ContainerState, Evidence
from bench.sample.failures import evidences, rule_set

SIZES = (10, 100, 500)
MESSAGES = 400
ROUNDS, QUICK_ROUNDS = 25, 7
PASSES = 5
"""Ours is so quick that one pass over the messages is shorter than what the machine does beside us."""
SEED = 20260101
MOST_GROWTH = 2.5
"""500 rules may cost so many times what 10 cost."""
LEAST_RATIO = 40.0
"""The loop over ``re`` costs at least so many times ours, at 500 rules."""

Classify = Callable[[Evidence], str]
Figures = Mapping[str, float]
Check = Callable[[Evidence, Sequence[ContainerState]], bool]


class Pattern(Protocol):
    """A compiled pattern of ``re`` or ``regex``."""

    def search(self, string: str) -> object:
        """Look anywhere in the text; what is found is true."""
        ...


Compiler = Callable[[str], Pattern]


def ours(rules: RuleSet) -> Classify:
    """Our classifier."""
    classify = compile_rules(rules).classify
    return lambda evidence: classify(evidence).category


def loop(rules: RuleSet, *, compiler: Compiler) -> Classify:
    """A loop over compiled patterns that stops at the first rule that matches."""
    checks = [
        (category.name, _check(rule.matcher, compiler)) for category in rules.categories for rule in category.rules
    ]
    default = rules.default_category

    def classify(evidence: Evidence) -> str:
        ended = [one.ended for one in evidence.pod.containers if one.ended is not None and one.ended.exit_code]
        for name, check in checks:
            if check(evidence, ended):
                return name
        return default

    return classify


def _check(matcher: words.Matcher, compiler: Compiler) -> Check:
    """The test one rule makes, its pattern compiled before."""
    match matcher:
        case words.TerminationMessage(pattern=pattern):
            search = compiler(pattern.text).search
            return lambda _, ended: any(state.message and search(state.message) for state in ended)
        case words.PodError(pattern=pattern):
            search = compiler(pattern.text).search
            return lambda evidence, _: bool(evidence.pod_error and search(evidence.pod_error))
        case words.PodEvents(type=kind, reason=reason, pattern=pattern):
            search = compiler(pattern.text).search
            return lambda evidence, _: any(
                event.type == kind and event.reason == reason and search(event.message) for event in evidence.events
            )
        case words.ExitCodes(values=values):
            return lambda _, ended: any(state.exit_code in values for state in ended)
        case words.Conditions(names=names):
            return lambda evidence, _: evidence.pod.reason in names
        case _:
            raise TypeError(f"the sample has no {type(matcher).__name__}")


def _microseconds(classify: Classify, seen: Sequence[Evidence]) -> float:
    started = time.perf_counter()
    for evidence in seen:
        classify(evidence)
    return (time.perf_counter() - started) / len(seen) * 1e6


class Contest:
    """All classifiers with so many rules, warm: each has seen the known failures once, and all agreed on them."""

    def __init__(self, number: int) -> None:
        self._rules = rule_set(number, seed=SEED)
        self._known = evidences(MESSAGES, rules=self._rules, seed=SEED)
        self._newcomer = ours(self._rules)  # from here on it sees new failures only; the other stays warm
        self._peers = {
            "ours_us": ours(self._rules),
            "re_us": loop(self._rules, compiler=re.compile),
            "regex_us": loop(self._rules, compiler=regex.compile),
        }
        for evidence in self._known:
            answers = {classify(evidence) for classify in (self._newcomer, *self._peers.values())}
            if len(answers) != 1:
                raise RuntimeError(f"the classifiers disagree: {answers}")

    def round(self, turn: int) -> Figures:
        """Microseconds a failure, of each in turn."""
        figures = {
            name: _microseconds(classify, self._known * (PASSES if name == "ours_us" else 1))
            for name, classify in self._peers.items()
        }
        unseen = evidences(MESSAGES, rules=self._rules, seed=SEED + 1 + turn)
        return {**figures, "ours_unseen_us": _microseconds(self._newcomer, unseen)}


def measure(rounds: int) -> list[dict[int, Figures]]:
    """The figures of each round, by number of rules; in a round all classifiers of all sizes take turns."""
    contests = {number: Contest(number) for number in SIZES}
    return [{number: contest.round(turn) for number, contest in contests.items()} for turn in range(rounds)]


def medians(rounds: Sequence[Mapping[int, Figures]]) -> dict[int, Figures]:
    """The median of each figure over the rounds."""
    return {
        number: {name: round(median(one[number][name] for one in rounds), 2) for name in figures}
        for number, figures in rounds[0].items()
    }


def table(figures: Mapping[int, Figures]) -> str:
    """The figures for people: microseconds a failure, and how many times ours."""
    rows = [
        f"{'rules':>6}{'ours':>10}{'re loop':>18}{'regex loop':>18}{'ours, unseen':>15}   us a failure (times ours)"
    ]
    for number, one in figures.items():
        ours_us = one["ours_us"]
        peers = (f"{one[name]:.1f} ({one[name] / ours_us:.0f}x)" for name in ("re_us", "regex_us"))
        rows.append(
            f"{number:>6}{ours_us:>10.1f}{''.join(f'{peer:>18}' for peer in peers)}{one['ours_unseen_us']:>15.1f}"
        )
    return "\n".join(rows)


def verdicts(rounds: Sequence[Mapping[int, Figures]]) -> dict[str, bool]:
    """Each target in words, and whether it is met; ratios are taken within a round, where the machine is the same."""
    least, most = SIZES[0], SIZES[-1]
    growth = median(one[most]["ours_us"] / one[least]["ours_us"] for one in rounds)
    ratio = median(one[most]["re_us"] / one[most]["ours_us"] for one in rounds)
    return {
        f"{most} rules cost {growth:.2f}x what {least} cost (below {MOST_GROWTH}x)": growth < MOST_GROWTH,
        f"{ratio:.0f}x faster than the re loop at {most} rules (at least {LEAST_RATIO:.0f}x)": ratio >= LEAST_RATIO,
    }


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--json", action="store_true", help="one line of JSON last")
    given = parser.parse_args(arguments)

    rounds = measure(QUICK_ROUNDS if given.quick else ROUNDS)
    figures, met = medians(rounds), verdicts(rounds)
    print(table(figures))
    for target, is_met in met.items():
        print(f"{'met   ' if is_met else 'MISSED'} {target}")
    if given.json:
        print(json.dumps({"rules": {str(number): one for number, one in figures.items()}}))
    return 0 if all(met.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
