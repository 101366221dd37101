"""The logs of successful runs: enough of them, of enough tools, naming no place, registry or person; no false names."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

import pytest

from agent.core.classify.classifier import Classifier, compile_rules
from agent.core.classify.rules import RuleSet
from agent.evaluate.false_names import report
from agent.evaluate.successful import WINDOWS, Blame, Log, successful_logs
from agent.shipped import RULES, shipped
from tests.config.subjects import checked
from tests.evidence.successful import MANIFEST
from tests.evidence.successful.mask import distinct
from tests.evidence.successful.pack import PACKED
from tests.evidence.successful.selection import SHARE
from tests.ground.addresses import REGISTRIES
from tests.ground.findings import assert_no_findings
from tests.ground.tree import line_at
from tests.tables import table

LEAST_LINES: Final = 300_000
LEAST_TOOLS: Final = 11
LEAST_SURVIVED: Final = 200
MOST_BYTES: Final = 5_000_000
PLACES: Final = (r"/wor[k]/(?<![\w./-]/wor[k]/)", r"/roo[t]/", r"/tm[p]/(?<![\w./-]/tm[p]/)")
"""A search for text that comes first is ten times faster than one for what stands before it."""

SECRETS: Final = (r"BEGIN [A-Z ]*PRIVATE KEY", r"\x1b")
UNCLEAN: Final = tuple(map(re.compile, (*REGISTRIES, *PLACES, *SECRETS)))


@pytest.fixture(scope="module")
def corpus() -> tuple[Log, ...]:
    return tuple(successful_logs())


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return checked(shipped(RULES)).value_or_raise()


@pytest.fixture(scope="module")
def classifier(rules: RuleSet) -> Classifier:
    return compile_rules(rules)


def test_no_tool_has_more_than_its_share(corpus: tuple[Log, ...]) -> None:
    counts: Counter[str] = Counter()
    for log in corpus:
        counts[log.tool] += len(log.lines)

    assert len(counts) >= LEAST_TOOLS
    assert max(counts.values()) <= counts.total() // SHARE


def test_they_take_little_room() -> None:
    assert PACKED.stat().st_size <= MOST_BYTES


@pytest.mark.slow
def test_enough_lines_differ_once_masked(corpus: tuple[Log, ...]) -> None:
    lines = (line for log in corpus for line in log.lines)

    assert sum(1 for _ in distinct(lines, set())) >= LEAST_LINES


def test_the_manifest_has_the_command_and_the_lines_of_each(corpus: tuple[Log, ...]) -> None:
    manifest = table(MANIFEST)
    listed = {(entry["tool"], name): count for entry in manifest for name, count in entry["lines"].items()}

    assert listed == {(log.tool, log.name): len(log.lines) for log in corpus}
    assert all(entry["command"].strip() for entry in manifest)
    assert sum(sum(entry["survived"].values()) for entry in manifest) >= LEAST_SURVIVED


def unclean(log: Log) -> Iterator[str]:
    """The registries, places and secrets in a log."""
    text = log.text
    for pattern in UNCLEAN:
        for found in pattern.finditer(text):
            yield f"{log.tool}/{log.name}:{line_at(text, found.start())}: {found[0]!r}"


def test_no_line_names_a_registry_or_a_place_or_has_a_secret(corpus: tuple[Log, ...]) -> None:
    assert_no_findings(unclean, corpus)


def test_what_a_log_must_not_have_is_found() -> None:
    lines = ("in /srv/tmp/a", "in /tmp/a", "from https://pypi" + ".org/simple", "BEGIN RSA PRIVATE KEY", "\x1b[0m")

    assert list(unclean(Log(tool="a", name="b", lines=lines))) == [
        "a/b:3: 'pypi" + ".org'",
        "a/b:2: '/tmp/'",
        "a/b:4: 'BEGIN RSA PRIVATE KEY'",
        "a/b:5: '\\x1b'",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("size", WINDOWS)
def test_the_shipped_rules_blame_nothing_in_runs_that_succeeded(
    corpus: tuple[Log, ...], rules: RuleSet, classifier: Classifier, size: int
) -> None:
    blame = Blame(classifier, rules)

    found = [name for log in corpus for name in blame.false_names(log, size=size) if not name.refused]

    assert found == [], "\n".join(report(found))
