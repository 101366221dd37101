"""The table of transitions and the code, compared in both directions over all states that few inputs reach."""

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import cache

import pytest

from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.effects import Step
from agent.core.lifecycle.guarantees import Guarantee
from agent.core.lifecycle.inputs import Input
from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.state import State
from agent.core.lifecycle.transitions import TRANSITIONS, permitted
from tests.core.lifecycle.laws import Finding, broken
from tests.core.lifecycle.made import T0, after, play, read
from tests.ground.tree import ROOT

PAGE = (ROOT / "docs/jobs-lifecycle.md").read_text(encoding="utf-8")
DEEPEST = 4
LATER = (timedelta(0), timedelta(minutes=1))

ALPHABET = (
    *(f"leased r{run} {terms}" for run in (0, 1) for terms in ("confirmed", "timer", "at-once")),
    *(f"created r{run} u{run}" for run in (0, 1)),
    *(f"{phase} u0" for phase in ("pending", "running", "succeeded")),
    *("succeeded u0 confirmed", "failed u0 retry", "failed u0 fail", "failed u0 fail confirmed"),
    *("gated-deleted u0 retry", "gated-deleted u0 fail", "creation-failed r0 retry", "creation-failed r0 fail"),
    *("stopped u0 gone confirmed", "stopped u0 succeeded-before", "confirmed u0 person", "name-taken r0 u9"),
    *("rejected r0", "rejected r1", "not-created r0", "lease-expired r0 retry", "lease-expired r0 fail"),
    *("preempted r0 retry", "preempted r0 fail", "cancel", "retry", "retry again", "never-retry", "limit-lowered"),
    "time-passed",
)

Change = tuple[State, type[Input], State]


@cache
def explored() -> tuple[frozenset[Change], tuple[Finding, ...]]:
    """Every change of state that the alphabet makes in few steps from a new job and from its second run.

    Before that there was no pod, or one that may still report.
    """
    second, _ = play("0 leased r0 confirmed", "1 creation-failed r0 retry", "11 leased r1 confirmed")
    preempted, _ = play("0 leased r0 at-once", "1 created r0 u0", "2 preempted r0 retry", "12 leased r1 at-once")
    level, seen = {SubmittedJob(job_id="j"), second, preempted}, set[SubmittedJob]()
    changes, findings = set[Change](), list[Finding]()
    for depth in range(DEEPEST):
        following = set()
        for job, words, later in ((job, words, later) for job in level for words in ALPHABET for later in LATER):
            now = T0 + timedelta(minutes=depth) + later
            event = read(words, now)
            result = advance(job, event, now)
            findings.extend(broken(job, event, now, result))
            if isinstance(result, Step) and result.job.state is not job.state:
                changes.add((job.state, type(event), result.job.state))
            following.add(after(job, result))
        level = following - seen
        seen |= level
    return frozenset(changes), tuple(findings)


def named(changes: frozenset[Change]) -> list[str]:
    return sorted(f"{source} by {kind.__name__} to {target}" for source, kind, target in changes)


def rows_of_page() -> Iterator[str]:
    for line in PAGE.split("| from | by | to | when |\n")[1].split("\n\n")[0].splitlines()[1:]:
        sources, kinds, target, _ = (re.findall(r"`([^`]+)`", cell) for cell in line.strip("|").split(" | "))
        yield from (f"{source} by {kind} to {target[0]}" for source in sources for kind in kinds)


@pytest.mark.slow
def test_the_code_makes_exactly_the_changes_of_the_table() -> None:
    changes, _ = explored()

    assert named(changes) == named(permitted())


@pytest.mark.slow
def test_every_law_holds_in_every_state_that_few_inputs_reach() -> None:
    _, findings = explored()

    assert findings == ()


def test_the_table_lists_no_change_twice() -> None:
    rows = [(source, kind, row.target) for row in TRANSITIONS for source in row.sources for kind in row.inputs]

    assert len(set(rows)) == len(rows)


def test_the_page_has_the_table() -> None:
    assert sorted(rows_of_page()) == named(permitted())


def test_the_page_draws_the_table() -> None:
    drawn = re.findall(r"^    ([a-z-]+) --> ([a-z-]+)$", PAGE, re.MULTILINE)

    assert sorted(drawn) == sorted({(source.value, target.value) for source, _, target in permitted()})


def test_the_page_explains_every_guarantee() -> None:
    part = PAGE.split("## What is promised\n")[1].split("\n## ")[0]

    assert re.findall(r"^\| `([a-z-]+)` \| [A-Z].+\. \|$", part, re.MULTILINE) == list(Guarantee)
