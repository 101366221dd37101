"""One diagnosis on a terminal: a short card, the answer first."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from agent.console.paragraphs import NO_BREAK, paragraph
from agent.console.terminal import Palette, cells_of, visible, visible_lines
from agent.core.evidence import Condition, Container, ContainerState, Event, Node, StateKind
from agent.core.failure import Failure, Occurrence
from agent.core.failure_text.admission import conditions
from agent.core.failure_text.category import in_words, leaf
from agent.core.failure_text.contradiction import contradictions
from agent.core.failure_text.deciding import deciding
from agent.core.failure_text.ending import limit_in_words, message
from agent.core.failure_text.fault import origin_of, whose
from agent.core.failure_text.grade import known
from agent.core.failure_text.quoting import on_one_line
from agent.core.failure_text.step import is_advised, joined, step
from agent.core.failure_text.successor import AGAIN, is_bare
from agent.core.failure_text.times import lasted
from agent.core.limit import VerdictAction
from agent.ctl.classify.waiting import awaited, given_up, since
from agent.observe.waiting.wait import NotKnown, Wait, Waiting

if TYPE_CHECKING:  # who asks for no verdict should not import what decides
    from agent.diagnose.foresight import Foreseen

_INDENT: Final = 12

_STATES: Final = {
    Occurrence.NEVER_STARTED: "NOT STARTED",
    Occurrence.DEADLINE_EXCEEDED: "OVERDUE",
    Occurrence.STUCK_TERMINATING: "STUCK",
    Occurrence.CONTAINER_RESTARTED: "RESTARTED",
    Occurrence.NEVER_CREATED: "NOT CREATED",
}
"""The state of a pod that has not failed yet."""

Rows = tuple[str, list[str]]
"""A label, and its texts, each a paragraph; no texts, no label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The width and colours of the output. ``columns`` is ``None`` for a pipe: then no line is broken."""

    columns: int | None = None
    palette: Palette = field(default_factory=Palette)

    def lines(self, rows: Iterable[Rows]) -> Iterator[str]:
        for label, texts in rows:
            for index, text in enumerate(texts):
                yield from self._labelled(label if index == 0 else "", text)

    def heading(self, state: str, text: str, name: str, *, paint: Callable[[str], str]) -> Iterator[str]:
        """The state and the category, and the name at the right if it fits there, else on the next line."""
        first = f"{state}  {text}"
        gap = 2 if self.columns is None else self.columns - cells_of(first) - cells_of(name)
        if name and gap > 1:
            yield f"{paint(state)}  {text}{' ' * gap}{name}"
            return
        start, *more = paragraph("", first, indent=0, columns=self.columns)
        yield paint(state) + start.removeprefix(state)
        yield from more
        if name:
            yield from self._labelled("Pod", name)

    def _labelled(self, label: str, text: str) -> Iterator[str]:
        for line in paragraph(label, text, indent=_INDENT, columns=self.columns):
            yield self.palette.strong(line[:_INDENT]) + line[_INDENT:] if line[:1].strip() else line


WHOLE: Final = Page()


def card(
    name: str,
    failure: Failure,
    page: Page = WHOLE,
    *,
    node: str = "",
    owners: Sequence[str] = (),
    still: Wait | None = None,
    foreseen: "Foreseen | None" = None,
    follows: str = "",
) -> Iterator[str]:
    """The answer, then the evidence. ``node`` and ``owners`` are the pod's, if known; it ``still`` waits for this.

    ``foreseen`` is the verdict that retry policies will give, ``follows`` who starts the pod again.
    """
    state, paint = _STATES.get(failure.occurrence, "FAILED"), page.palette.bad
    yield from page.heading(state, visible(in_words(failure)), visible(name), paint=paint)
    yield from page.lines(_answer(failure))
    yield from page.lines(_verdict(foreseen))
    yield from page.lines(_next(failure, foreseen, follows))
    yield from page.lines(_still(still))
    yield from page.lines(_evidence(failure, node=node, owners=owners))


def wait_card(name: str, wait: Wait, page: Page = WHOLE, *, node: str = "") -> Iterator[str]:
    """For what a pod waits, since when and why, and when the agent gives it up; or why nothing is known of it."""
    state, text, rows = _unknown(wait) if isinstance(wait, NotKnown) else _waiting(wait)
    yield from page.heading(state, text, visible(name), paint=page.palette.warning)
    yield from page.lines([*rows, ("Node", [visible(node)] if node else [])])


def _unknown(unknown: NotKnown) -> tuple[str, str, list[Rows]]:
    return "NOT KNOWN", unknown.what, [("Because", [visible(unknown.why)])]


def _waiting(wait: Waiting) -> tuple[str, str, list[Rows]]:
    rows = [("Since", since(wait)), ("Because", [visible(wait.because)]), ("Given up", [given_up(wait)])]
    return "WAITING", f"for {visible(awaited(wait))}", rows


def _verdict(foreseen: "Foreseen | None") -> Iterator[Rows]:
    """What retry policies say, with its arithmetic, and on which assumptions."""
    if foreseen is None:
        return
    from agent.ctl.classify.verdict import sentences  # noqa: PLC0415 - see the type

    yield "Verdict", [visible(sentence) for sentence in sentences(foreseen.verdict.explanation)]
    yield "Assumed", [visible(assumption) for assumption in foreseen.assumed]


def _next(failure: Failure, foreseen: "Foreseen | None", follows: str) -> Iterator[Rows]:
    """Who starts the pod again; if nobody does and it should run again, how to start it."""
    retries = is_advised(failure) if foreseen is None else foreseen.verdict.action is VerdictAction.RETRY
    yield "Next", [visible(joined(follows, AGAIN if is_bare(failure) and retries else ""))] if follows else []


def _still(wait: Wait | None) -> Iterator[Rows]:
    """What a pod that did not start waits for, until the agent gives it up."""
    if isinstance(wait, Waiting):
        yield "Still waits", [" ".join((f"for {visible(awaited(wait))}", *(f"since {text}" for text in since(wait))))]
        yield "Given up", [given_up(wait)]


def _answer(failure: Failure) -> Iterator[Rows]:
    submitted, decided = whose(failure), deciding(failure)
    mark = f"  [{decided.trust.replace(' ', NO_BREAK)}]"
    sentence = f"{origin_of(failure.classification)}: {visible(decided.sentence)}{mark}"
    yield "Fault", [sentence, visible(submitted)] if submitted else [sentence]
    yield "Limit", [visible(said)] if (said := limit_in_words(failure)) else []
    yield "Do next", [visible(step(failure))]
    yield "Grade", [said] if (said := known(failure.classification)) else []
    yield "Condition", [visible(sentence) for sentence in conditions(failure)]


def _evidence(failure: Failure, *, node: str, owners: Sequence[str]) -> Iterator[Rows]:
    if failure.pod.phase:
        yield (
            "Containers",
            [_container(container, said=deciding(failure).sentence) for container in failure.pod.containers],
        )
    yield "Node", _node(failure.node, node)
    yield "Created by", [visible(", ".join(owners))] if owners else []
    yield "Events", _events(failure)
    yield from _texts(failure)
    yield "Detail", _detail(failure)
    yield "Also", _other_categories(failure)
    yield "Ruled out", _ruled_out(failure)
    yield "But", [visible(contradiction) for contradiction in contradictions(failure)]
    yield "Missing", [f"{visible(missing.what)}: {visible(missing.reason)}" for missing in failure.missing]


def _other_categories(failure: Failure) -> list[str]:
    found = failure.classification
    return [f"it matches rules of {visible(', '.join(found.categories[1:]))}"] if len(found.categories) > 1 else []


def _detail(failure: Failure) -> list[str]:
    given = failure.classification.detail
    return [visible(", ".join(f"{detail.key.replace('_', ' ')} {detail.value}" for detail in given))] if given else []


def _ruled_out(failure: Failure) -> list[str]:
    """Matches that do not count, once for each category and reason."""
    given = failure.classification
    texts = dict.fromkeys(
        f"{leaf(hypothesis.match.category, hypothesis.match.subcategory)}: {hypothesis.refused}"
        for hypothesis in given.hypotheses
    )
    more = [f"and {given.hypotheses_left_out} more"] if given.hypotheses_left_out else []
    return [*map(visible, texts), *more]


def _container(container: Container, *, said: str) -> str:
    state = container.ended or container.state
    restarts = {0: "", 1: ", 1 restart"}.get(container.restarts, f", {container.restarts} restarts")
    injected = ", added later" if container.injected else ""
    return f"{visible(container.name)} ({container.kind}{injected}): {_state(state, said=said)}{restarts}"


def _state(state: ContainerState, *, said: str) -> str:
    """The state of a container, without its message if ``said`` has that already."""
    reason = f" {visible(state.reason)}" if state.reason else ""
    match state.kind:
        case StateKind.TERMINATED:
            ran = _ran(state.started_at, state.finished_at)
            return f"ended{reason}, exit {_exit_text(state.exit_code, state.signal) or 'unknown'}{ran}"
        case StateKind.WAITING:
            message = "" if on_one_line(state.message) in said else f": {visible(state.message)}"
            return f"waits{reason}{message}"
        case StateKind.RUNNING:
            return "runs"
        case StateKind.ABSENT:
            return "no state reported"


def _exit_text(code: int | None, signal: int | None) -> str:
    """An exit code with its signal; empty without a code."""
    if code is None:
        return ""
    return f"{code} (signal {signal})" if signal else str(code)


def _ran(started: datetime | None, finished: datetime | None) -> str:
    if started is None or finished is None or started.year <= 1970:  # noqa: PLR2004  # the kubelet's zero time
        return ""
    seconds = (finished - started).total_seconds()
    return f", ran {lasted(seconds)}" if seconds >= 0 else ""


def _node(node: Node | None, name: str) -> list[str]:
    if node is None:
        return [visible(name)] if name else []
    abnormal = [_condition(condition) for condition in node.conditions if _is_abnormal(condition)]
    cordoned = ["cordoned"] if node.unschedulable else []
    taints = [f"taint {visible(taint.key)}:{visible(taint.effect)}" for taint in node.taints]
    healthy = "conditions healthy" if node.conditions else "conditions not known"
    return [f"{visible(node.name or name) or 'node'}: {', '.join(abnormal + cordoned + taints) or healthy}"]


def _is_abnormal(condition: Condition) -> bool:
    return condition.status != ("True" if condition.type == "Ready" else "False")


def _condition(condition: Condition) -> str:
    return f"{visible(condition.type)}={visible(condition.status)} {visible(condition.reason)}".rstrip()


def _events(failure: Failure) -> list[str]:
    more = [f"and {failure.events_left_out} more"] if failure.events_left_out else []
    return [_event(event) for event in failure.events] + more


def _event(event: Event) -> str:
    times = f" x{event.count}" if event.count > 1 else ""
    return f"{visible(event.type)} {visible(event.reason)}{times}: {visible(event.message)}"


def _texts(failure: Failure) -> Iterator[Rows]:
    """What the container wrote, unless the answer quotes all of it."""
    if failure.stack_trace is not None:
        yield "Said last", visible_lines(failure.stack_trace.tail)
    elif on_one_line(said := message(failure)) not in deciding(failure).sentence:
        yield "Said", visible_lines(said)
    for tail in failure.log_tails:
        if tail.text.strip():
            before = " before its restart" if tail.previous else ""
            yield "Log", [f"of {visible(tail.container)}{before}", *visible_lines(tail.text)]
