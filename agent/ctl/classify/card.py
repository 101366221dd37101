"""One diagnosis on a terminal: a short card that a tired person can read."""

from collections.abc import Iterator
from datetime import datetime

from agent.console.columns import Column, line
from agent.console.terminal import visible, visible_lines
from agent.core.evidence import Condition, Container, ContainerState, StateKind
from agent.core.failure import Advice, Failure, Origin

_LABEL = 11
_ROW = (Column(width=_LABEL), Column())

ORIGINS = {
    Origin.INFRA: "infra: hardware, OS, node, network or storage",
    Origin.PLATFORM: "platform: cluster software or policy",
    Origin.USER: "user: the job's spec, image, code or data",
    Origin.UNKNOWN: "unknown: the evidence cannot tell",
}

ADVICE = {
    Advice.NEVER: "never: trying again cannot help",
    Advice.SAME: "same: the unchanged job may succeed",
    Advice.ELSEWHERE: "elsewhere: the unchanged job may succeed on another node",
    Advice.CHANGED: "changed: only a changed job may succeed",
    None: "no advice: the rules say nothing of trying again",
}


def leaf(category: str, subcategory: str) -> str:
    return f"{category}/{subcategory}" if subcategory else category


def card(name: str, failure: Failure) -> Iterator[str]:
    found = failure.classification
    yield f"{visible(name) or 'this evidence'}: {visible(leaf(found.category, found.subcategory))}"
    yield from _why(failure)
    yield _row("origin", ORIGINS[found.origin])
    yield _row("try again", ADVICE[found.advice])
    if found.hint:
        yield from _rows("hint", visible_lines(found.hint))
    if failure.pod.phase:
        yield from _rows("containers", [_container(one) for one in failure.pod.containers])
    yield from _rows("node", _node(failure))
    yield from _rows("events", [_event(failure, index) for index in range(len(failure.events))])
    yield from _text(failure)
    yield from _rows("also", [visible(name) for name in found.categories[1:]])
    if failure.pod.phase and failure.pod.containers:
        yield _row("user code", _user_code(failure))
    yield from _rows("missing", [f"{visible(one.what)}: {visible(one.reason)}" for one in failure.missing])


def what(failure: Failure) -> str:
    """The one line that says what happened: the primary match, else the platform's message, else the occurrence."""
    found = failure.classification
    if found.matches:
        first = found.matches[0]
        return f"{first.where}: {first.text}" if first.text and first.text not in first.where else first.where
    if failure.stack_trace is not None:
        return failure.stack_trace.key_line
    return failure.pod_error.strip() or failure.occurrence.value


def exit_text(code: int | None, signal: int | None) -> str:
    """An exit code with the signal it stands for; empty where there is none."""
    if code is None:
        return ""
    return f"{code} (signal {signal})" if signal else str(code)


def _row(label: str, text: str) -> str:
    return line((label, text), _ROW, indent=2, gap=1)


def _rows(label: str, lines: list[str]) -> Iterator[str]:
    for index, text in enumerate(lines):
        yield _row(label if index == 0 else "", text)


def _why(failure: Failure) -> Iterator[str]:
    found = failure.classification
    if not found.matched:
        yield _row("why", f"no rule matched; {visible(what(failure))}")
        return
    for index, match in enumerate(found.matches):
        if match.category != found.category:
            return
        text = f": {visible(match.text)}" if match.text and match.text not in match.where else ""
        yield _row("why" if index == 0 else "", f"{visible(match.where)}{text}  [{match.trust}]")


def _container(container: Container) -> str:
    state = container.ended or container.state
    restarts = f", {container.restarts} restarts" if container.restarts else ""
    injected = ", injected" if container.injected else ""
    return f"{visible(container.name)} ({container.kind}{injected}): {_state(state)}{restarts}"


def _state(state: ContainerState) -> str:
    reason = f" {visible(state.reason)}" if state.reason else ""
    match state.kind:
        case StateKind.TERMINATED:
            ran = _ran(state.started_at, state.finished_at)
            return f"ended{reason}, exit {exit_text(state.exit_code, state.signal) or 'unknown'}{ran}"
        case StateKind.WAITING:
            message = f": {visible(state.message)}" if state.message else ""
            return f"waiting{reason}{message}"
        case StateKind.RUNNING:
            return "running"
        case StateKind.ABSENT:
            return "no state reported"


def _ran(started: datetime | None, finished: datetime | None) -> str:
    if started is None or finished is None or started.year <= 1970:  # noqa: PLR2004  # the kubelet's zero time
        return ""
    seconds = (finished - started).total_seconds()
    return f", ran {duration(seconds)}" if seconds >= 0 else ""


def duration(seconds: float) -> str:
    """Seconds as ``3d 4h``, ``2h 5m``, ``12m 3s`` or ``4s``."""
    units = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))
    left = int(seconds)
    parts: list[str] = []
    for unit, size in units:
        count, left = divmod(left, size)
        if count or parts:
            parts.append(f"{count}{unit}")
    return " ".join(parts[:2]) or "0s"


def _node(failure: Failure) -> list[str]:
    if failure.node is None:
        return []
    abnormal = [_condition(one) for one in failure.node.conditions if _is_abnormal(one)]
    cordoned = ["cordoned"] if failure.node.unschedulable else []
    taints = [f"taint {visible(taint.key)}:{visible(taint.effect)}" for taint in failure.node.taints]
    return [
        f"{visible(failure.node.name) or 'node'}: {', '.join(abnormal + cordoned + taints) or 'conditions healthy'}"
    ]


def _is_abnormal(condition: Condition) -> bool:
    return condition.status != ("True" if condition.type == "Ready" else "False")


def _condition(condition: Condition) -> str:
    return f"{visible(condition.type)}={visible(condition.status)} {visible(condition.reason)}".rstrip()


def _event(failure: Failure, index: int) -> str:
    event = failure.events[index]
    times = f" x{event.count}" if event.count > 1 else ""
    return f"{visible(event.type)} {visible(event.reason)}{times}: {visible(event.message)}"


def _text(failure: Failure) -> Iterator[str]:
    if failure.stack_trace is not None:
        yield from _rows("message end", visible_lines(failure.stack_trace.tail))
    elif failure.termination_message:
        yield from _rows("message", visible_lines(failure.termination_message))
    for tail in failure.log_tails:
        if not tail.text.strip():
            continue
        yield from _rows(f"log {visible(tail.container)}"[:_LABEL], visible_lines(tail.text))


def _user_code(failure: Failure) -> str:
    words = {True: "yes", False: "no", None: "unknown"}
    code = failure.user_code
    return f"ran: {words[code.ran]}, culprit is the user's: {words[code.culprit_is_users]} ({visible(code.reason)})"
