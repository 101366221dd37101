"""Sample ends of logs in which several rules find what they look for, which ``order: evidence`` has to weigh."""

from dataclasses import replace
from random import Random

from agent.core.classify.matchers.log_tail import LogTail as LogTailMatcher
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.rules import Category, Order, Rule, RuleSet
from agent.core.evidence import Container, ContainerKind, ContainerState, Evidence, LogTail, Pod, StateKind
from bench.sample.failures import FILLER, rule_set
from tests.config.examples import examples, packs_with_examples

SHAPES = {"1 KiB, one line": 1 << 10, "4 KiB, tracebacks": 4 << 10, "64 KiB": 64 << 10}
"""The texts by name, with their size in bytes."""

HYPOTHESES = 3
CALM = [word for word in FILLER if word not in ("retry", "attempt")]
"""Words of a log in which nothing is tried again."""
REPORT = 'Traceback (most recent call last):\n  File "train.py", line 8\nValueError: {}\n'


def log_rules(number: int, *, order: Order, seed: int) -> RuleSet:
    """This many rules, most of them on log tails."""
    rules = rule_set(number, seed=seed)
    return replace(rules, order=order, categories=tuple(map(_for_logs, rules.categories)))


def tails(shape: str, *, rules: RuleSet, number: int, seed: int) -> list[Evidence]:
    """This many pods of one container that exited with code 1, with a log of this shape that three rules find."""
    random = Random(seed)
    hits = [
        rule.matcher.pattern.text.removeprefix("(?i)").split("|")[0].replace(".*", " it ")
        for category in rules.categories
        for rule in category.rules
        if isinstance(rule.matcher, LogTailMatcher)
    ]
    return [_exited(_text(shape, random, random.sample(hits, HYPOTHESES))) for _ in range(number)]


def example_tails(shape: str, *, number: int, seed: int) -> list[Evidence]:
    """This many pods whose logs of this shape have three examples of what the shipped packs find, one line of each."""
    random = Random(seed)
    hits = [
        example.row["said"].rstrip("\n").rpartition("\n")[2]
        for pack in packs_with_examples()
        for example in examples(pack)
        if example.finds and example.row.keys() == {"said"}
    ]
    return [_exited(_text(shape, random, random.sample(hits, HYPOTHESES))) for _ in range(number)]


def _for_logs(category: Category) -> Category:
    return replace(category, rules=tuple(map(_for_log, category.rules)))


def _for_log(rule: Rule) -> Rule:
    if not isinstance(rule.matcher, TerminationMessage):
        return rule
    return replace(rule, matcher=LogTailMatcher(pattern=rule.matcher.pattern))


def _text(shape: str, random: Random, hits: list[str]) -> str:
    size = SHAPES[shape]
    if shape.endswith("one line"):
        return f"{_words(random, size - sum(map(len, hits)) - 16)} {'; '.join(hits)}"
    reports = "".join(REPORT.replace("{}", hit) for hit in hits)
    lines: list[str] = []
    while sum(map(len, lines)) + len(lines) < size - len(reports):
        lines.append(_words(random, 90))
    return "\n".join(lines) + "\n" + reports


def _words(random: Random, size: int) -> str:
    text = f"[{random.randrange(10**9)}]"
    while len(text) < size:
        text += f" {random.choice(CALM)}"
    return text


def _exited(text: str) -> Evidence:
    ended = ContainerState(kind=StateKind.TERMINATED, reason="Error", exit_code=1)
    main = Container(name="main", kind=ContainerKind.APP, state=ended, ended=ended)
    return Evidence(pod=Pod(phase="Failed", containers=(main,)), log_tails=(LogTail(container="main", text=text),))
