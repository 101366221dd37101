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
ROUNDS, QUICK_ROUNDS = 15, 5
SEED = 20260101
MOST_GROWTH = 2.5
"""500 rules may cost so many times what 10 cost."""
LEAST_RATIO = 40.0
"""The loop over ``re`` costs at least so many times ours, at 500 rules."""

Classify = Callable[[Evidence], str]
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


def measure(number: int, *, rounds: int) -> dict[str, float]:
    """Microseconds a failure with so many rules: medians over rounds in which all take turns, after one to warm up."""
    rules = rule_set(number, seed=SEED)
    known = evidences(MESSAGES, rules=rules, seed=SEED)
    peers = {
        "ours_us": ours(rules),
        "re_us": loop(rules, compiler=re.compile),
        "regex_us": loop(rules, compiler=regex.compile),
    }
    newcomer = ours(rules)  # sees the known failures once and then only new ones; the other stays warm
    _agree({**peers, "ours_unseen_us": newcomer}, known)
    spent: dict[str, list[float]] = {name: [] for name in (*peers, "ours_unseen_us")}
    for turn in range(rounds):
        for name, classify in peers.items():
            spent[name].append(_microseconds(classify, known))
        unseen = evidences(MESSAGES, rules=rules, seed=SEED + 1 + turn)
        spent["ours_unseen_us"].append(_microseconds(newcomer, unseen))
    return {name: round(median(times), 2) for name, times in spent.items()}


def _agree(peers: Mapping[str, Classify], known: Sequence[Evidence]) -> None:
    """The first round: nobody's time counts, but all must answer alike."""
    for evidence in known:
        answers = {name: classify(evidence) for name, classify in peers.items()}
        if len(set(answers.values())) != 1:
            raise RuntimeError(f"the classifiers disagree: {answers}")


def table(figures: Mapping[int, Mapping[str, float]]) -> str:
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


def verdicts(figures: Mapping[int, Mapping[str, float]]) -> dict[str, bool]:
    """Each target in words, and whether it is met."""
    least, most = figures[SIZES[0]], figures[SIZES[-1]]
    growth, ratio = most["ours_us"] / least["ours_us"], most["re_us"] / most["ours_us"]
    return {
        f"{SIZES[-1]} rules cost {growth:.2f}x what {SIZES[0]} cost (below {MOST_GROWTH}x)": growth < MOST_GROWTH,
        f"{ratio:.0f}x faster than the re loop at {SIZES[-1]} rules (at least {LEAST_RATIO:.0f}x)": ratio
        >= LEAST_RATIO,
    }


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--json", action="store_true", help="one line of JSON last")
    given = parser.parse_args(arguments)

    rounds = QUICK_ROUNDS if given.quick else ROUNDS
    figures = {number: measure(number, rounds=rounds) for number in SIZES}
    met = verdicts(figures)
    print(table(figures))
    for target, is_met in met.items():
        print(f"{'met   ' if is_met else 'MISSED'} {target}")
    if given.json:
        print(json.dumps({"rules": {str(number): one for number, one in figures.items()}}))
    return 0 if all(met.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
