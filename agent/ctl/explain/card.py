"""A job on one screen: its state, whose fault, what to do next, the retries left, the attempts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from agent.console.paragraphs import command_lines, paragraph, wrap
from agent.console.terminal import Palette, cells_of, fit, visible
from agent.core.decision.next_step import retries
from agent.core.failure import IN_RUN, UNDECIDED, Failure, Occurrence, Origin, Trust
from agent.core.failure_text.admission import conditions
from agent.core.failure_text.category import in_words, leaf
from agent.core.failure_text.deciding import deciding, last_words, others
from agent.core.failure_text.ending import limit_in_words
from agent.core.failure_text.fault import origin_of, whose
from agent.core.failure_text.grade import known as grade_of
from agent.core.failure_text.times import briefly_at, relative, zone_of
from agent.ctl.explain.advice import advised_retry, follows, next_of
from agent.ctl.explain.attempts import Clock, attempts_of, is_numbered, number_of, ran, table
from agent.ctl.explain.outcome import HELD, OVER, Outcome, State, outcome, state_word
from agent.ctl.explain.submitted import submitted_ago, submitted_rows
from agent.store.recorded import RecordedFailure, Timeline

LINES = 23
"""Lines of the smallest terminal but for the prompt; as many attempts are shown as fit, and one always."""

_INDENT = 2
_LABEL = 10
_LONGEST = (240, 136, 68)
"""Cells of what one row says: the first with which the card fits. An ellipsis marks what was cut off."""
_LONGEST_WAIT = 640
"""Cells for why the job waits. With the long names of nodes in clouds the command for a person is behind 300."""
_LONGEST_NAME = 48
_UNBROKEN = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """Where a card is shown: cells in a line, colours, and what a command for that place begins with and ends with.

    ``program`` is how ``failctl`` is called there, ``where`` are options that name the store.
    """

    columns: int
    palette: Palette
    program: str = "failctl"
    where: tuple[str, ...] = ()


_COLOURS: dict[Origin, Callable[[Palette], Callable[[str], str]]] = {
    Origin.USER: lambda palette: palette.warning,
    Origin.INFRA: lambda palette: palette.bad,
    Origin.PLATFORM: lambda palette: palette.bad,
    Origin.UNKNOWN: lambda palette: palette.strong,
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line about the job. ``mark`` follows the text, even if that is cut.

    ``strong`` is the beginning of the text that is coloured, ``least`` how many cells of it are never cut.
    """

    label: str
    text: str
    mark: str = ""
    strong: str = ""
    colour: Callable[[Palette], Callable[[str], str]] = lambda palette: palette.strong
    least: int = 0


def card(timeline: Timeline, *, clock: Clock, screen: Screen) -> Iterator[str]:
    """The lines of the card: as much of each text as leaves room for an attempt, then as many attempts as fit."""
    stands = outcome(timeline) if timeline.runs else None
    rows = [*_wait(timeline), *(() if stands is None else _rows(timeline, stands, clock))]
    rows += [Row(label, text) for label, text in submitted_rows(timeline, now=clock.now)]
    above: list[str] = []
    below = ["", *_more(timeline, stands, screen)]
    for longest in _LONGEST:
        above = [*_heading(timeline, stands, clock=clock, screen=screen)]
        above += [line for row in rows for line in _shown(row, longest=longest, screen=screen)]
        if len(above) + len(below) + len(("", "heading", "attempt", "left out")) <= LINES:
            break
    yield from above
    if timeline.runs:
        yield ""
        yield from _attempts(
            timeline, LINES - len(above) - len(below) - len(("", "heading")), clock=clock, screen=screen
        )
    yield from below


def _wait(timeline: Timeline) -> Iterator[Row]:
    """Why the job waits comes first, and whole: it names what somebody may have to look at."""
    if timeline.submitted is not None and timeline.submitted.wait:
        yield Row("Waits", timeline.submitted.wait, least=_LONGEST_WAIT)


def _attempts(timeline: Timeline, room: int, *, clock: Clock, screen: Screen) -> Iterator[str]:
    """The newest attempts, at least one, and how many are left out."""
    if attempts_of(timeline) > room:
        room -= 1
    shown = timeline.runs[-max(room, 1) :]
    yield from table(timeline, shown, clock=clock, columns=screen.columns)
    yield from _left_out(attempts_of(timeline) - len(shown), screen)


def _left_out(count: int, screen: Screen) -> Iterator[str]:
    if count:
        said = f"{count} earlier {'attempt' if count == 1 else 'attempts'}; --details shows them"
        yield from paragraph("", said, indent=_INDENT, columns=screen.columns)


def _heading(timeline: Timeline, stands: Outcome | None, *, clock: Clock, screen: Screen) -> Iterator[str]:
    state = state_word(timeline, stands)
    word, colour = state.upper(), _coloured(state, screen.palette)
    first = f"{word}  {fit(visible(_in_short(timeline, stands, clock)), _LONGEST[-1])}"
    names = _names(timeline)
    room = screen.columns - cells_of(first) - cells_of(names)
    if room > _INDENT:
        yield colour(word) + first[len(word) :] + " " * room + names
        return
    lines = wrap(first, screen.columns)
    yield colour(word) + lines[0][len(word) :]
    yield from lines[1:]
    yield from wrap(names, screen.columns)


def _coloured(state: str, palette: Palette) -> Callable[[str], str]:
    if state in OVER:
        return palette.bad
    return palette.warning if state in HELD else palette.good


def _in_short(timeline: Timeline, stands: Outcome | None, clock: Clock) -> str:
    if timeline.submitted is not None and (stands is None or stands.known is None):
        return submitted_ago(timeline.submitted, now=clock.now)
    return "" if stands is None else _came_to(timeline, stands, clock)


def _names(timeline: Timeline) -> str:
    """Whose job it is; the id is always whole."""
    named = (("queue", timeline.queue), ("job set", timeline.job_set), ("gang", timeline.gang_id))
    return "  ".join(
        [
            f"job {visible(timeline.job_id)}",
            *(f"{name} {fit(visible(value), _LONGEST_NAME)}" for name, value in named if value),
        ]
    )


def _came_to(timeline: Timeline, stands: Outcome, clock: Clock) -> str:
    known = stands.known
    words = "" if known is None else in_words(known.failure)
    count = number_of(timeline, timeline.runs[-1])
    match stands.state:
        case State.SUCCEEDED:
            ended = timeline.runs[-1].phase_at
            when = "" if ended is None else f"{relative(ended, clock.now)}, "
            tries = f"{when}after {count} attempts" if is_numbered(timeline) else f"{when}at the first attempt"
            return f"{tries}; before: {words}" if words else tries
        case State.RUNNING | State.PENDING:
            if not words:
                return "no failure is known"
            return f"{_so_far(stands)}: {words}"
        case _:
            return words or "no report of the failure has come"


def _so_far(stands: Outcome) -> str:
    """What the failure that is known means for a job that has not ended."""
    if stands.failure is None or stands.failure.failure.occurrence not in UNDECIDED:
        return "again, after"
    created = stands.failure.failure.occurrence is not Occurrence.NEVER_CREATED
    return "restarted in place" if created else "its pods cannot be created"


def _shown(row: Row, *, longest: int, screen: Screen) -> Iterator[str]:
    blanks = " " * _INDENT
    text = fit(visible(row.text), max(longest, row.least)) + row.mark.replace("[user text]", f"[user{_UNBROKEN}text]")
    first, *rest = paragraph(f"{blanks}{row.label}", text, indent=_INDENT + _LABEL, columns=screen.columns)
    head = f"{blanks}{row.label}"
    text = first[len(head) :].replace(_UNBROKEN, " ")
    if row.strong:
        text = text.replace(row.strong, row.colour(screen.palette)(row.strong), 1)
    yield f"{blanks}{screen.palette.faint(row.label)}{text}"
    yield from (line.replace(_UNBROKEN, " ") for line in rest)


def _rows(timeline: Timeline, stands: Outcome, clock: Clock) -> Iterator[Row]:
    known = stands.known
    if known is not None:
        yield from _fault(known.failure)
        yield from _first_thought(stands)
    yield Row(_happened(stands), _when(stands, clock))
    yield Row("Where", _where(timeline, stands))
    if timeline.submitted is None or timeline.submitted.state == State.FAILED:
        if retry := advised_retry(timeline, stands):
            yield Row("Verdict", retry)
        yield Row("Do next", next_of(timeline, stands))
    if said := follows(timeline, stands):
        yield Row("Next", said)
    if stands.verdict is not None and stands.state is not State.SUCCEEDED:
        yield Row("Retries", retries(stands.verdict.verdict.explanation))
        yield from (Row("Gang", note) for note in _gang_notes(stands))


def _fault(failure: Failure) -> Iterator[Row]:
    decided, found = deciding(failure), failure.classification
    party = origin_of(found)
    # the mark stays whole, whatever is cut from the sentence
    text = f"{party}: {decided.sentence}"
    yield Row("Fault", text, mark=f"  [{decided.trust}]", strong=party, colour=_COLOURS[found.origin])
    yield from (Row("", more) for more in (others(failure), whose(failure)) if more)
    if reached := limit_in_words(failure):
        yield Row("Limit", reached)
    if grade := grade_of(found):
        yield Row("Grade", grade)
    for number, sentence in enumerate(conditions(failure)):
        yield Row("" if number else "Condition", sentence)
    if words := last_words(failure):
        yield Row("It said", words, mark=f"  [{Trust.USER_TEXT}]")


def _first_thought(stands: Outcome) -> Iterator[Row]:
    if stands.later is not None and stands.failure is not None:
        before = in_words(stands.failure.failure)
        decided = "; the verdict was made on that" if stands.verdict is not None else ""
        if before != in_words(stands.later.failure):
            yield Row("At first", f"it was taken for {before}{decided}")


def _gang_notes(stands: Outcome) -> Iterator[str]:
    notes = () if stands.verdict is None else stands.verdict.verdict.explanation.notes
    return (note.removeprefix("gang: ") for note in notes if note.startswith("gang: "))


def _happened(stands: Outcome) -> str:
    """The label of the time."""
    if stands.failure is None:
        return (stands.run.phase or "Since").capitalize()
    if stands.failure.failure.occurrence is Occurrence.NEVER_CREATED:
        return "Refused"
    return "Restarted" if stands.failure.failure.occurrence in IN_RUN else "Failed"


def _when(stands: Outcome, clock: Clock) -> str:
    known, run = stands.failure, stands.run
    time = known.occurred_at if known is not None else run.phase_at or run.first_occurred_at
    long = ran(run, now=clock.now) if known is not None and known.failure.occurrence not in IN_RUN else ""
    after = f", after {long}" if long else ""
    there = f"{briefly_at(time, clock.zone, now=clock.now)} {zone_of(time.astimezone(clock.zone))}"
    return f"{relative(time, clock.now)}{after} ({there})"


def _where(timeline: Timeline, stands: Outcome) -> str:
    run = stands.run
    attempt = f"attempt {number_of(timeline, run)}, " if is_numbered(timeline) else ""
    node = fit(visible(run.node), _LONGEST_NAME) if run.node else "no node"
    pod = f"{fit(visible(run.namespace), _LONGEST_NAME)}/{fit(visible(run.pod_name), _LONGEST_NAME)}"
    cluster = f"cluster {fit(visible(run.cluster), _LONGEST_NAME)}"
    if not run.pod_name:
        return f"{attempt}{cluster}"
    # a halted run is not known to have ended
    lives = ", which may still be there" if stands.state is State.HALTED else ""
    return f"{attempt}{node} in {cluster}, pod {pod}{lives}"


def _more(timeline: Timeline, stands: Outcome | None, screen: Screen) -> Iterator[str]:
    """Where to read more, as commands to be copied."""
    commands = [["explain", timeline.job_id, "--details"]]
    if stands is not None and stands.known is not None:
        commands.append(_others_like_it(timeline, stands.known))
    for command in commands:
        words = [screen.program, *command, *screen.where]
        yield from command_lines([visible(word) for word in words], indent=_INDENT, columns=screen.columns)


def _others_like_it(timeline: Timeline, known: RecordedFailure) -> list[str]:
    found = known.failure.classification
    queue = ["--queue", timeline.queue] if timeline.queue else []
    return ["get", "failures", *queue, "--category", leaf(found.category, found.subcategory)]
