"""How a demo ends: the figures, a table of what came of the jobs, and commands that ask about them."""

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from agent.console.columns import Column, line, widened
from agent.console.paragraphs import wrap
from agent.console.terminal import shorten, visible
from agent.core.lifecycle.state import FINAL
from agent.core.limit import VerdictAction
from agent.core.units import counted
from agent.demo.outcome import JobFigures, JobStanding, Outcome
from agent.demo.readings import Decision
from agent.demo.tally import Tally

_BY_CATEGORY = (
    Column(heading="CATEGORY"),
    Column(heading="FAULT"),
    Column(heading="JOBS", right=True),
    Column(heading="RETRIED", right=True),
    Column(heading="RECOVERED", right=True),
    Column(heading="FAILED", right=True),
)
_NO_FAILURE = "(no failure)"


def counts(standings: Iterable[JobStanding]) -> str:
    """What came of the jobs so far, in one line."""
    outcomes = Counter(standing.outcome for standing in standings)
    return (
        f"{counted(outcomes.total(), 'job')}: {outcomes[Outcome.SUCCEEDED]} succeeded, "
        f"{outcomes[Outcome.RECOVERED]} recovered, {outcomes[Outcome.FAILED]} failed, "
        f"{outcomes[Outcome.UNFINISHED]} not ended"
    )


def what_is_left(seconds: float, standings: Iterable[JobStanding], *, lost: int) -> str:
    """What the demo waits for."""
    if seconds > 0:
        return f"{seconds:.0f} s to go"
    states = Counter(standing.state for standing in standings if standing.state not in FINAL)
    if states:
        return f"no new jobs; waiting for {', '.join(f'{count} {state}' for state, count in states.most_common())}"
    return "waiting for the last verdicts" if lost else "every job has ended; comparing with Lookout"


def why_unfinished(jobs: int, *, interrupted: bool, idle: float) -> str | None:
    """Why a demo ended before its jobs did; ``None`` if it did not. ``idle`` is how long it waited, in seconds."""
    if interrupted:
        return "Interrupted: some jobs have not ended."
    have = "has" if jobs == 1 else "have"
    return f"{counted(jobs, 'job')} {have} not ended, and nothing has happened for {idle:.0f} s." if jobs else None


def summary(tally: Tally, jobs: JobFigures, *, restarts: int, columns: int) -> Iterator[str]:
    """The figures in words, in lines of ``columns`` cells."""
    for text in (*_of_jobs(jobs), *_of_failures(tally, restarts)):
        yield from wrap(text, columns)


def _of_jobs(jobs: JobFigures) -> Iterator[str]:
    yield (
        f"{counted(jobs.submitted, 'job')}: {jobs.succeeded} succeeded at once, {jobs.recovered} recovered by a retry, "
        f"{jobs.failed_final} failed, {jobs.unfinished} unfinished"
    )
    yield (
        f"{jobs.overlaps} ran in two pods at the same time, {jobs.after_end} ran after their end, "
        f"{counted(jobs.unaccepted, 'pod')} ran without being accepted"
    )


def _of_failures(tally: Tally, restarts: int) -> Iterator[str]:
    p99 = tally.p99_detect_to_decision_ms
    in_place = f"; {counted(tally.in_run, 'restart')} in place on top" if tally.in_run else ""
    yield (
        f"{counted(tally.failures, 'run')} failed, in {counted(tally.kinds, 'way')} that the simulators play{in_place}"
    )
    yield (
        f"{tally.classified} classified by a rule, {tally.decided} decided, {tally.lost} lost, "
        f"{tally.duplicates} decided twice"
    )
    if tally.unexpected:
        yield f"{tally.unexpected} verdicts on pods that the simulators did not end"
    if p99 is not None:
        yield f"from detection to decision: 99 % within {p99:.0f} ms"
    if restarts:
        yield f"parts that died and were restarted: {restarts}"


def by_category(
    decisions: Iterable[Decision], standings: Mapping[str, JobStanding], *, columns: int | None
) -> Iterator[str]:
    """What came of the jobs, by the category of their first failure, the most frequent first.

    If a line is too short, first the gaps shrink, then categories lose their middle.
    """
    kinds = _first_failures(decisions)
    of_kind = defaultdict[tuple[str, str], list[JobStanding]](list)
    for job_id, standing in standings.items():
        of_kind[kinds.get(job_id, (_NO_FAILURE, ""))].append(standing)
    in_order = sorted(of_kind.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    rows = [_row(*kind, jobs) for kind, jobs in in_order]
    rows.append(_row("all", "", standings.values()))
    shown, gap = _fitted(widened(_BY_CATEGORY, rows), columns)
    for category, *rest in ([column.heading for column in shown], *rows):
        yield line([shorten(visible(category), shown[0].width), *rest], shown, gap=gap)


def _first_failures(decisions: Iterable[Decision]) -> Mapping[str, tuple[str, str]]:
    """Category and fault, by job."""
    latest_first = sorted(decisions, key=lambda decision: decision.decided_at, reverse=True)
    return {decision.job_id: (decision.category, decision.origin.value) for decision in latest_first}


def _fitted(shown: Sequence[Column], columns: int | None) -> tuple[Sequence[Column], int]:
    """The columns as they fit, and the gap between them."""
    whole, gaps = sum(column.width for column in shown), len(shown) - 1
    if columns is None or whole + 2 * gaps <= columns:
        return shown, 2
    first, *rest = shown
    room = columns - gaps - (whole - first.width)
    return (replace(first, width=max(min(first.width, room), len(first.heading))), *rest), 1


def _row(category: str, fault: str, jobs: Iterable[JobStanding]) -> tuple[str, ...]:
    standings = list(jobs)
    outcomes = Counter(standing.outcome for standing in standings)
    retried = sum(standing.retries > 0 for standing in standings)
    figures = (len(standings), retried, outcomes[Outcome.RECOVERED], outcomes[Outcome.FAILED])
    return category, fault, *map(str, figures)


def example(decisions: Iterable[Decision]) -> str | None:
    """The job with most attempts, of those that failed permanently if there are any; the latest of several."""
    last = {decision.job_id: decision for decision in sorted(decisions, key=lambda decision: decision.decided_at)}
    failed = [decision for decision in last.values() if decision.action is VerdictAction.FAIL] or list(last.values())
    return max(failed, key=lambda decision: (decision.attempt or 0, decision.decided_at)).job_id if failed else None


def explain_command(program: str, job_id: str, *, where: Sequence[str]) -> str:
    """A line for a shell. ``program`` is how ``failctl`` is called there, ``where`` are options that name the store."""
    return f"{program} {visible(shlex.join(['explain', job_id, *where]))}"


def while_it_stays(api: str, *, columns: int) -> Iterator[str]:
    """What can be done when all jobs have ended and nothing has stopped yet."""
    yield from wrap(f"Everything still runs. Look at the jobs, retry or cancel them at {api}", columns)
    yield "Press Enter to end the demo."


def afterwards(api: str, *, columns: int) -> Iterator[str]:
    """How Lookout is looked at and asked when the demo has ended."""
    settings = "failure-agent lookout --settings lookout.yaml"
    yield from wrap(f"In that folder, {settings} serves {api} again; then ask:", columns)
    yield f"  {question(api)}"


def question(api: str) -> str:
    """A line for a shell that asks Lookout whose fault the failures are."""
    return f"curl '{api}/api/v1/groups/failures?by=origin&since=1h'"
