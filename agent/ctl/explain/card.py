"""A job on one screen: how it stands, whose fault, what to do next, the retries left, the attempts."""

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from agent.console.paragraphs import paragraph, wrap
from agent.console.terminal import Palette, cells_of, fit, visible
from agent.core.decision.outlook import retries
from agent.core.failure import IN_RUN, Failure
from agent.core.failure_text.category import in_words, leaf
from agent.core.failure_text.deciding import deciding, last_words, others
from agent.core.failure_text.fault import fault, whose
from agent.core.failure_text.times import at, relative
from agent.ctl.explain.advice import next_of
from agent.ctl.explain.attempts import Clock, attempts_of, is_numbered, number_of, ran, table
from agent.ctl.explain.outcome import ON_THEIR_WAY, OVER, Outcome, State, outcome
from agent.store.timeline import RecordedFailure, RecordedRun, Timeline

LINES = 24
"""Lines of the smallest terminal; as many attempts are shown as fit, and one always."""

_INDENT = 2
_LABEL = 10
_LONGEST = 240
"""Cells of what one row says; an ellipsis marks what was cut off."""
_LONGEST_NAME = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """Where a card is shown: cells in a line, and colours."""

    columns: int
    palette: Palette


def card(timeline: Timeline, *, clock: Clock, screen: Screen) -> Iterator[str]:
    """The lines of the card."""
    stands = outcome(timeline, now=clock.now)
    above = [*_heading(timeline, stands, screen), *_rows(timeline, stands, clock=clock, screen=screen), ""]
    below = ["", *_more(timeline, stands, screen)]
    runs = timeline.runs
    room = max(LINES - len(above) - len(below) - 1, 1)
    if attempts_of(timeline) > room:
        room = max(room - 1, 1)
    shown = runs[-room:]
    yield from above
    yield from table(timeline, shown, clock=clock, columns=screen.columns)
    yield from _left_out(attempts_of(timeline) - len(shown), screen)
    yield from below


def _left_out(count: int, screen: Screen) -> Iterator[str]:
    if count:
        said = f"{count} earlier {'attempt' if count == 1 else 'attempts'}; --details shows them"
        yield from paragraph("", said, indent=_INDENT, columns=screen.columns)


def _heading(timeline: Timeline, stands: Outcome, screen: Screen) -> Iterator[str]:
    word = stands.state.value.upper()
    first = f"{word}  {fit(visible(_came_to(timeline, stands)), _LONGEST)}"
    names = _names(timeline)
    room = screen.columns - cells_of(first) - cells_of(names)
    if room > _INDENT:
        yield _coloured(stands.state, screen.palette)(word) + first[len(word) :] + " " * room + names
        return
    lines = wrap(first, screen.columns)
    yield _coloured(stands.state, screen.palette)(word) + lines[0][len(word) :]
    yield from lines[1:]
    yield from wrap(names, screen.columns)


def _coloured(state: State, palette: Palette) -> Callable[[str], str]:
    if state in OVER:
        return palette.bad
    return palette.warning if state in ON_THEIR_WAY else palette.good


def _names(timeline: Timeline) -> str:
    """Whose job it is; the id is always whole."""
    named = (("queue", timeline.queue), ("job set", timeline.job_set), ("gang", timeline.gang_id))
    return "  ".join(
        [
            f"job {visible(timeline.job_id)}",
            *(f"{name} {fit(visible(value), _LONGEST_NAME)}" for name, value in named if value),
        ]
    )


def _came_to(timeline: Timeline, stands: Outcome) -> str:
    known = stands.known
    words = "" if known is None else in_words(known.failure)
    count = attempts_of(timeline)
    match stands.state:
        case State.SUCCEEDED:
            tries = f"after {count} attempts" if count > 1 else "at the first attempt"
            return f"{tries}; before: {words}" if words else tries
        case State.RUNNING | State.PENDING:
            if not words:
                return "no failure is known"
            again = stands.failure is not None and stands.failure.failure.occurrence not in IN_RUN
            return f"again, after: {words}" if again else f"restarted in place: {words}"
        case _:
            return words or "no report of the failure has come"


def _rows(timeline: Timeline, stands: Outcome, *, clock: Clock, screen: Screen) -> Iterator[str]:
    for label, text in _said(timeline, stands, clock):
        shown = list(paragraph(f"{'':{_INDENT}}{label}", text, indent=_INDENT + _LABEL, columns=screen.columns))
        blanks = " " * _INDENT
        head = f"{blanks}{label}"
        yield head.replace(label, screen.palette.faint(label), 1) + shown[0][len(head) :] if label else shown[0]
        yield from shown[1:]


def _said(timeline: Timeline, stands: Outcome, clock: Clock) -> Iterator[tuple[str, str]]:
    known = stands.known
    if known is not None:
        yield from _fault(known.failure)
        yield from _first_thought(stands)
    yield "When", _when(stands, clock)
    yield "Where", _where(timeline, stands.run)
    yield "Do next", _bounded(next_of(timeline, stands, now=clock.now))
    if stands.verdict is not None and stands.state is not State.SUCCEEDED:
        yield "Retries", _bounded(retries(stands.verdict.verdict.explanation))
        yield from (("Gang", _bounded(note)) for note in _gang_notes(stands))


def _fault(failure: Failure) -> Iterator[tuple[str, str]]:
    decided = deciding(failure)
    # the mark stays whole, whatever is cut from the sentence
    said = _bounded(decided.sentence)
    yield "Fault", f"{fault(failure.classification.origin)}: {said}  [{decided.trust}]"
    for more in (others(failure), whose(failure)):
        if more:
            yield "", _bounded(more)
    if words := last_words(failure):
        yield "It said", f"{_bounded(words)}  [user text]"


def _first_thought(stands: Outcome) -> Iterator[tuple[str, str]]:
    if stands.later is not None and stands.failure is not None:
        before = in_words(stands.failure.failure)
        decided = "; the verdict was made on that" if stands.verdict is not None else ""
        if before != in_words(stands.later.failure):
            yield "At first", _bounded(f"it was taken for {before}{decided}")


def _gang_notes(stands: Outcome) -> Iterator[str]:
    notes = () if stands.verdict is None else stands.verdict.verdict.explanation.notes
    return (note.removeprefix("gang: ") for note in notes if note.startswith("gang: "))


def _when(stands: Outcome, clock: Clock) -> str:
    known, run = stands.failure, stands.run
    time = known.occurred_at if known is not None else run.phase_at or run.first_occurred_at
    long = ran(run, now=clock.now) if known is not None and known.failure.occurrence not in IN_RUN else ""
    after = f", after {long}" if long else ""
    return f"{relative(time, clock.now)}{after} ({at(time, clock.zone)})"


def _where(timeline: Timeline, run: RecordedRun) -> str:
    attempt = f"attempt {number_of(timeline, run)}, " if is_numbered(timeline) else ""
    node = fit(visible(run.node), _LONGEST_NAME) if run.node else "no node"
    pod = f"{fit(visible(run.namespace), _LONGEST_NAME)}/{fit(visible(run.pod_name), _LONGEST_NAME)}"
    where = f"{node} in cluster {fit(visible(run.cluster), _LONGEST_NAME)}"
    return f"{attempt}{where}, pod {pod}" if run.pod_name else f"{attempt}{where}, before it had a pod"


def _bounded(text: str) -> str:
    return fit(visible(text), _LONGEST)


def _more(timeline: Timeline, stands: Outcome, screen: Screen) -> Iterator[str]:
    """Where to read more, as commands to be copied."""
    commands = [["failctl", "explain", timeline.job_id, "--details"]]
    if stands.known is not None:
        commands.append(_others_like_it(timeline, stands.known))
    for number, command in enumerate(commands):
        label = f"{'':{_INDENT}}{'More' if number == 0 else ''}"
        text = visible(" ".join(shlex.quote(word) for word in command))
        yield from paragraph(label, text, indent=_INDENT + _LABEL, columns=screen.columns)


def _others_like_it(timeline: Timeline, known: RecordedFailure) -> list[str]:
    found = known.failure.classification
    queue = ["--queue", timeline.queue] if timeline.queue else []
    return ["failctl", "get", "failures", *queue, "--category", leaf(found.category, found.subcategory)]
