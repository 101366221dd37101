"""How a demo ends: the figures, a table by category, and a command that says why a job failed."""

import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from agent.console.columns import Column, line, widened
from agent.console.paragraphs import wrap
from agent.console.terminal import shorten, visible
from agent.core.failure_text.fault import short_fault
from agent.core.limit import VerdictAction
from agent.demo.readings import Decision
from agent.demo.tally import Tally

_BY_CATEGORY = (
    Column(heading="CATEGORY"),
    Column(heading="FAULT"),
    Column(heading="COUNT", right=True),
    Column(heading="RETRIED", right=True),
    Column(heading="FAILED", right=True),
)


def counts(tally: Tally) -> str:
    """The figures in one line."""
    waiting = f", {tally.lost} to be decided" if tally.lost else ""
    return f"{tally.failures} failures of {tally.kinds} kinds, {tally.decided} decided{waiting}"


def summary(tally: Tally, *, restarts: int, columns: int) -> Iterator[str]:
    """The figures in words, in lines of ``columns`` cells."""
    for text in _figures(tally, restarts):
        yield from wrap(text, columns)


def _figures(tally: Tally, restarts: int) -> Iterator[str]:
    p99 = tally.p99_detect_to_decision_ms
    yield f"{tally.failures} runs failed, of {tally.kinds} kinds; {tally.in_run} restarts in place on top"
    yield f"{tally.classified} classified by a rule, {tally.decided} decided"
    yield f"{tally.lost} lost, {tally.duplicates} decided twice"
    if tally.unexpected:
        yield f"{tally.unexpected} verdicts on pods that the simulators did not end"
    if p99 is not None:
        yield f"from detection to decision: 99 % within {p99:.0f} ms"
    if restarts:
        yield f"parts that died and were restarted: {restarts}"


def by_category(decisions: Iterable[Decision], *, columns: int | None) -> Iterator[str]:
    """How many failures of each category there were, the most frequent first, and what was decided on them.

    If a line is too short, first the gaps shrink, then categories lose their middle.
    """
    actions = defaultdict[tuple[str, str], list[VerdictAction]](list)
    for one in decisions:
        actions[one.category, short_fault(one.origin)].append(one.action)
    in_order = sorted(actions.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    rows = [_row(*kind, of_kind) for kind, of_kind in in_order]
    rows.append(_row("all", "", [one for of_kind in actions.values() for one in of_kind]))
    shown, gap = _fitted(widened(_BY_CATEGORY, rows), columns)
    for category, *rest in ([column.heading for column in shown], *rows):
        yield line([shorten(visible(category), shown[0].width), *rest], shown, gap=gap)


def _fitted(shown: Sequence[Column], columns: int | None) -> tuple[Sequence[Column], int]:
    """The columns as they fit, and the gap between them."""
    whole, gaps = sum(column.width for column in shown), len(shown) - 1
    if columns is None or whole + 2 * gaps <= columns:
        return shown, 2
    first, *rest = shown
    room = columns - gaps - (whole - first.width)
    return (replace(first, width=max(min(first.width, room), len(first.heading))), *rest), 1


def _row(category: str, fault: str, actions: Sequence[VerdictAction]) -> tuple[str, ...]:
    retried = sum(one is VerdictAction.RETRY for one in actions)
    return category, fault, str(len(actions)), str(retried), str(len(actions) - retried)


def example(decisions: Iterable[Decision]) -> str | None:
    """The job with most attempts, of those that failed permanently if there are any; the latest of several."""
    last = {one.job_id: one for one in sorted(decisions, key=lambda one: one.decided_at)}
    failed = [one for one in last.values() if one.action is VerdictAction.FAIL] or list(last.values())
    return max(failed, key=lambda one: (one.attempt or 0, one.decided_at)).job_id if failed else None


def explain_command(program: str, job_id: str, *, where: Sequence[str]) -> str:
    """A line for a shell. ``program`` is how ``failctl`` is called there, ``where`` are options that name the store."""
    return f"{program} {visible(shlex.join(['explain', job_id, *where]))}"
