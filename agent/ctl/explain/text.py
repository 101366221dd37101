"""A job's timeline on a terminal: earlier runs in brief, the newest in full; everything where it is asked for."""

from collections.abc import Iterator
from datetime import UTC, datetime

from agent.console.terminal import visible
from agent.core.decision.explanation_text import headline, short, whole
from agent.core.failure import IN_RUN, Failure
from agent.ctl.classify.card import card, exit_text, leaf, what
from agent.store.timeline import RecordedFailure, RecordedRun, RecordedVerdict, Timeline

_INDENT = "  "


def brief(timeline: Timeline) -> Iterator[str]:
    """The lines most readers need."""
    yield _job(timeline)
    *earlier, newest = timeline.runs
    if timeline.earlier_runs:
        yield ""
        yield f"{timeline.earlier_runs} earlier runs are not shown; --details shows them"
    for run in earlier:
        yield from _run_in_brief(run)
    yield from _run(newest)


def everything(timeline: Timeline) -> Iterator[str]:
    """Every run, every failure, and all that its verdict was made of."""
    yield _job(timeline)
    for run in timeline.runs:
        yield ""
        yield _run_line(run)
        for failure in run.failures:
            yield from _card(failure)
        yield from _verdict(run.verdict, lines=() if run.verdict is None else whole(run.verdict.verdict.explanation))


def _job(timeline: Timeline) -> str:
    named = (("queue", timeline.queue), ("job set", timeline.job_set), ("gang", timeline.gang_id))
    names = ", ".join(f"{name} {visible(value)}" for name, value in named if value)
    count = len(timeline.runs) + timeline.earlier_runs
    runs = "1 run" if count == 1 else f"{count} runs"
    return f"job {visible(timeline.job_id)}{f' ({names})' if names else ''}: {runs}"


def _run_line(run: RecordedRun) -> str:
    attempt = "" if run.attempt is None else f", attempt {run.attempt}"
    node = f" on {visible(run.node)}" if run.node else ""
    phase = f", {run.phase}" if run.phase is not None else ""
    pod = f"{visible(run.cluster)} {visible(run.namespace)}/{visible(run.pod_name)}"
    return f"run {visible(run.run_id)}{attempt}: {pod}{node}{phase}"


def _run_in_brief(run: RecordedRun) -> Iterator[str]:
    yield ""
    yield _run_line(run)
    for failure in run.failures:
        if failure.amends is None and failure.failure.occurrence not in IN_RUN:
            yield _INDENT + _failure_line(failure)
    yield from _restarts(run)
    yield from _verdict(run.verdict, lines=() if run.verdict is None else (headline(run.verdict.verdict.explanation),))


def _run(run: RecordedRun) -> Iterator[str]:
    yield ""
    yield _run_line(run)
    deciding = _deciding(run)
    for failure in run.failures:
        if failure is deciding:
            yield from _card(failure)
        elif failure.failure.occurrence not in IN_RUN:
            yield _INDENT + _failure_line(failure)
    yield from _restarts(run)
    yield from _verdict(run.verdict, lines=() if run.verdict is None else short(run.verdict.verdict.explanation))


def _deciding(run: RecordedRun) -> RecordedFailure | None:
    """The failure the verdict was made on; without a verdict the last there is."""
    if run.verdict is None:
        return run.failures[-1] if run.failures else None
    return next((one for one in run.failures if one.event_id == run.verdict.event_id), None)


def _card(failure: RecordedFailure) -> Iterator[str]:
    name = f"{_at(failure.occurred_at)} {_occurrence(failure)}"
    for line in card(name, failure.failure):
        yield _INDENT + line


def _failure_line(recorded: RecordedFailure) -> str:
    failure = recorded.failure
    found = failure.classification
    category = visible(leaf(found.category, found.subcategory))
    ended = _ended(failure)
    return f"{_at(recorded.occurred_at)} {_occurrence(recorded)}: {category}: {visible(what(failure))}{ended}"


def _ended(failure: Failure) -> str:
    code = exit_text(failure.exit_code, failure.signal)
    return f"; container {visible(failure.container_name)}, exit {code}" if code else ""


def _occurrence(recorded: RecordedFailure) -> str:
    occurrence = recorded.failure.occurrence.value
    return occurrence if recorded.amends is None else f"later evidence on {occurrence}"


def _restarts(run: RecordedRun) -> Iterator[str]:
    count = sum(one.failure.occurrence in IN_RUN for one in run.failures)
    if count:
        yield f"{_INDENT}restarted in place: {'once' if count == 1 else f'{count} times'}; --details shows why"


def _verdict(verdict: RecordedVerdict | None, *, lines: tuple[str, ...]) -> Iterator[str]:
    if verdict is None:
        yield f"{_INDENT}no verdict"
        return
    for number, line in enumerate(lines):
        label = f"{_at(verdict.decided_at)} verdict: " if number == 0 else _INDENT
        yield f"{_INDENT}{label}{visible(line)}"


def _at(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S}Z"
