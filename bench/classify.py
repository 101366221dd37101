"""Classification beside the loops one would write: ours, ``re``, ``regex`` and Go, in turns on the same failures.

All give the first rule that matches; ours also says what matched where, and which others did. The program in Go does
what Armada's classifier does (``bench/go/classify``); without ``go`` it is left out, which is said. At ``JSON_AT``
rules ours and Go's also read the pods from JSON. ``order: evidence`` is then compared with ``order: file``, on three
shapes of text, each with all numbers of rules together. Times are of the processor, so that what runs beside us counts
less. ``--quick`` takes fewer rounds, and leaves reading JSON to the quick form of ``path``, which holds it to an
earlier revision: how far it is from Go depends on the processor. ``--json`` prints one line of JSON last. Exits 1
below a target.
"""

import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import geometric_mean, median
from typing import Self, TypeVar

import regex

from agent.core.classify.classifier import compile_rules
from agent.core.classify.rules import Order, RuleSet
from agent.core.evidence import Evidence
from agent.core.failure import Occurrence
from agent.kube import objects
from agent.kube.codec import Codec, Readable, Undecodable
from agent.observe.events import read_events
from agent.observe.evidence import read_evidence
from agent.rule_files import read_rules
from agent.shipped import RULES, shipped
from bench.peer.go_classifier import GoClassifier
from bench.peer.loop import loop
from bench.peer.program import CLASSIFY, find_peer
from bench.report.command import options, report
from bench.report.held import Held, at_least, at_most
from bench.sample.documents import Document, documents
from bench.sample.failures import evidences, rule_set
from bench.sample.logs import SHAPES, example_tails, log_rules, tails
from tests.servers.cache import Cache, cache_folder

SIZES = (10, 100, 500)
JSON_AT = 100
WEIGHED_SIZES = (100, 300, 1000)
TAILS = 60
MOST_WEIGHING = 1.5
"""``order: evidence`` may cost so many times what ``order: file`` costs."""
MESSAGES = 400
ROUNDS, QUICK_ROUNDS = 25, 7
PASSES = 5
"""Ours is so quick that one pass over the messages is shorter than what the machine does beside us."""
SEED = 20260101
MOST_GROWTH = 2.5
"""500 rules may cost so many times what 10 cost."""
QUICK_RATIOS = (("re", 500, 40.0), ("go", 100, 50.0), ("go", 500, 200.0))
RATIOS = (*QUICK_RATIOS, ("go_json", JSON_AT, 15.0))
"""A peer, a number of rules, and how many times ours it costs at least."""

Classify = Callable[[Evidence], str]
Figures = Mapping[str, float]
Subject = TypeVar("Subject")
Thing = TypeVar("Thing", bound=Readable)


def ours(rules: RuleSet) -> Classify:
    """Our classifier."""
    classify = compile_rules(rules).classify
    return lambda evidence: classify(evidence).category


def ours_from_json(rules: RuleSet) -> Callable[[Document], str]:
    """Our classifier, and before it everything from the text of pod and events on."""
    classify = compile_rules(rules).classify
    read_pod, read_event = Codec(objects.Pod).read, Codec(objects.Event).read

    def read_and_classify(document: Document) -> str:
        events = read_events(_readable(read_event(event)) for event in document.events)
        pod = _readable(read_pod(document.pod))
        return classify(read_evidence(pod, occurrence=Occurrence.POD_FAILED, events=events)).category

    return read_and_classify


def _readable(read: Thing | Undecodable) -> Thing:
    if isinstance(read, Undecodable):
        raise TypeError(f"a sample cannot be read: {read.why}")
    return read


def _microseconds(classify: Callable[[Subject], str], seen: Sequence[Subject]) -> float:
    started = time.process_time()
    for subject in seen:
        classify(subject)
    return (time.process_time() - started) / len(seen) * 1e6


class Contest:
    """All classifiers with so many rules, warm: each has seen the known failures once, and all agreed on them."""

    def __init__(self, number: int, *, go: Path | None, running: ExitStack) -> None:
        self._rules = rule_set(number, seed=SEED)
        self._known = evidences(MESSAGES, rules=self._rules, seed=SEED)
        self._newcomer = ours(self._rules)  # from here on it sees new failures only; the other stays warm
        self._ours = ours(self._rules)
        self._loops = {
            "re_us": loop(self._rules, compiler=re.compile),
            "regex_us": loop(self._rules, compiler=regex.compile),
        }
        self._documents = documents(self._known, seed=SEED) if number == JSON_AT else []
        self._from_json = ours_from_json(self._rules)
        self._go: GoClassifier | None = None
        if go is not None:
            given = self._documents or documents(self._known, seed=SEED)
            self._go = running.enter_context(GoClassifier(go, self._rules, given))
        self._agree()

    def _agree(self) -> None:
        """Raises RuntimeError where two classifiers give different categories."""
        answers = [
            [classify(evidence) for evidence in self._known]
            for classify in (self._ours, self._newcomer, *self._loops.values())
        ]
        if self._documents:
            answers.append([self._from_json(document) for document in self._documents])
        if self._go is not None:
            answers.append(self._go.answers)
        if any(given != answers[0] for given in answers):
            raise RuntimeError("the classifiers disagree")

    def round(self, turn: int) -> Figures:
        """Microseconds a failure, of each in turn."""
        figures = {"ours_us": _microseconds(self._ours, self._known * PASSES)}
        figures |= {name: _microseconds(classify, self._known) for name, classify in self._loops.items()}
        if self._go is not None:
            figures["go_us"] = self._go.classify_us()
        if self._documents:
            figures["ours_json_us"] = _microseconds(self._from_json, self._documents)
            if self._go is not None:
                figures["go_json_us"] = self._go.decode_us()
        unseen = evidences(MESSAGES, rules=self._rules, seed=SEED + 1 + turn)
        return figures | {"ours_unseen_us": _microseconds(self._newcomer, unseen)}


def measure(rounds: int, *, go: Path | None) -> list[dict[int, Figures]]:
    """The figures of each round, by number of rules; in a round all classifiers of all sizes take turns."""
    with ExitStack() as running:
        contests = {number: Contest(number, go=go, running=running) for number in SIZES}
        return [{number: contest.round(turn) for number, contest in contests.items()} for turn in range(rounds)]


class Weighing:
    """Classifiers in both orders, on ends of logs that three rules are found in."""

    def __init__(self, by_file: RuleSet, tails_of: Callable[[str], list[Evidence]]) -> None:
        self._orders = (ours(by_file), ours(replace(by_file, order=Order.EVIDENCE)))
        self._tails = {shape: tails_of(shape) for shape in SHAPES}
        self.round()

    @classmethod
    def drawn(cls, number: int) -> Self:
        """A contest with this many rules, made up from words."""
        rules = log_rules(number, order=Order.FILE, seed=SEED)
        return cls(rules, partial(tails, rules=rules, number=TAILS, seed=SEED))

    @classmethod
    def shipped(cls) -> Self:
        """A contest with all shipped packs."""
        rules = replace(read_rules(shipped(RULES)), order=Order.FILE)
        return cls(rules, partial(example_tails, number=TAILS, seed=SEED))

    def round(self) -> dict[str, tuple[float, float]]:
        """Microseconds a failure in the order of the file, and of the evidence, by shape."""
        by_file, by_evidence = self._orders
        return {
            shape: (_microseconds(by_file, seen), _microseconds(by_evidence, seen))
            for shape, seen in self._tails.items()
        }


def weigh(rounds: int) -> tuple[str, list[Held]]:
    """The figures of both orders for people, and what is held to targets; ratios are taken within a round."""
    rows = [f"{'rules':>7} {'text':<20}{'file':>10}{'evidence':>10}   us a failure"]
    ratios: dict[str, list[float]] = {shape: [] for shape in SHAPES}
    made: dict[str, Callable[[], Weighing]] = {str(number): partial(Weighing.drawn, number) for number in WEIGHED_SIZES}
    for name, contest in ((name, make()) for name, make in {**made, "shipped": Weighing.shipped}.items()):
        measured = [contest.round() for _ in range(rounds)]
        for shape in SHAPES:
            times = [figures[shape] for figures in measured]
            ratios[shape].append(median(by_evidence / by_file for by_file, by_evidence in times))
            shown = "".join(f"{median(column):>10.1f}" for column in zip(*times, strict=True))
            rows.append(f"{name:>7} {shape:<20}{shown}   ({ratios[shape][-1]:.2f}x)")
    return "\n".join(rows), weighing_verdicts(ratios)


def weighing_verdicts(ratios: Mapping[str, Sequence[float]]) -> list[Held]:
    """What both orders are held to, by shape: one ratio is within what the machine does, the mean of four is not."""
    return [
        at_most(f"order: evidence beside order: file, {shape}", geometric_mean(measured), target=MOST_WEIGHING)
        for shape, measured in ratios.items()
    ]


def medians(rounds: Sequence[Mapping[int, Figures]]) -> dict[int, Figures]:
    """The median of each figure over the rounds."""
    return {
        number: {name: round(median(measured[number][name] for measured in rounds), 2) for name in figures}
        for number, figures in rounds[0].items()
    }


def table(figures: Mapping[int, Figures]) -> str:
    """The figures for people: microseconds a failure, and how many times ours."""
    peers = {"re loop": "re_us", "regex loop": "regex_us", "Go": "go_us"}
    heads = "".join(f"{head:>18}" for head in peers)
    rows = [f"{'rules':>6}{'ours':>10}{heads}{'ours, unseen':>15}   us a failure (times ours)"]
    for number, found in figures.items():
        cells = "".join(f"{_beside(found, name, 'ours_us'):>18}" for name in peers.values())
        rows.append(f"{number:>6}{found['ours_us']:>10.1f}{cells}{found['ours_unseen_us']:>15.1f}")
    with_json = figures[JSON_AT]
    told = f"ours {with_json['ours_json_us']:.1f}, Go {_beside(with_json, 'go_json_us', 'ours_json_us')}"
    return "\n".join([*rows, f"from JSON on, at {JSON_AT} rules: {told}"])


def _beside(figures: Figures, name: str, ours_name: str) -> str:
    if name not in figures:
        return "-"
    return f"{figures[name]:.1f} ({figures[name] / figures[ours_name]:.0f}x)"


def verdicts(rounds: Sequence[Mapping[int, Figures]], ratios: Sequence[tuple[str, int, float]] = RATIOS) -> list[Held]:
    """What is held to targets; ratios are taken within a round, where the machine is the same."""
    least, most = SIZES[0], SIZES[-1]
    growth = median(figures[most]["ours_us"] / figures[least]["ours_us"] for figures in rounds)
    held = [at_most(f"{most} rules beside {least}", growth, target=MOST_GROWTH)]
    for peer, number, target in ratios:
        if f"{peer}_us" in rounds[0][number]:
            ratio = median(_ratios(rounds, peer, number))
            held.append(at_least(f"ours beside {peer}, {number} rules", ratio, target=target))
    return held


def _ratios(rounds: Sequence[Mapping[int, Figures]], peer: str, number: int) -> Iterable[float]:
    ours_name = "ours_json_us" if peer == "go_json" else "ours_us"
    return (figures[number][f"{peer}_us"] / figures[number][ours_name] for figures in rounds)


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    given = options(__doc__, quick="fewer rounds").parse_args(arguments)
    number = QUICK_ROUNDS if given.quick else ROUNDS
    rounds = measure(number, go=find_peer(CLASSIFY, Cache(cache_folder(os.environ))))
    figures = medians(rounds)
    weighed, held = weigh(number)
    print(table(figures))
    print(weighed)
    document = {"rules": {str(number): found for number, found in figures.items()}}
    against_peers = verdicts(rounds, QUICK_RATIOS if given.quick else RATIOS)
    return report([*against_peers, *held], document, given=given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
