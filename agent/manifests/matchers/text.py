"""How matchers that search a text are written: a pattern, and which engine searches it."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Strict

from agent.core.classify.matchers.log_tail import LogTail
from agent.core.classify.matchers.node_log import NodeLog
from agent.core.classify.matchers.output import Output
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Engine, Pattern
from agent.documents.checked import Finder, Steps
from agent.documents.shape import Shape
from agent.documents.source import Fault
from agent.manifests.matchers.written import Written


class PatternShape(Shape):
    """``onTerminationMessage``, ``onPodError``, ``onNodeLog``, ``onLogTail``."""

    pattern: str
    engine: Annotated[Engine, Strict(False)] = Engine.RE2

    def compiled(self) -> Pattern:
        return Pattern(text=self.pattern, engine=self.engine)


def compile_pod_error(shape: PatternShape) -> PodError:
    return PodError(pattern=shape.compiled())


OnPodError = Annotated[
    PatternShape | None, Written(matcher=PodError, compile=compile_pod_error, tag="PodError", pattern="pattern")
]


class PodEventsShape(Shape):
    regexp: str
    type: Literal["Normal", "Warning"]
    reason: str | None = None
    engine: Annotated[Engine, Strict(False)] = Engine.RE2


def compile_pod_events(shape: PodEventsShape) -> PodEvents:
    pattern = Pattern(text=shape.regexp, engine=shape.engine)
    return PodEvents(type=shape.type, pattern=pattern, reason=shape.reason or None)


def pod_event_findings(matcher: PodEvents, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    if matcher.type == "Normal" and matcher.reason is None:
        message = "Normal events report what went well; failures are reported by Warning events"
        hint = "add the `reason` of the events that are meant"
        yield finder.finding("normal-events", message, at=(*at, "type"), hint=hint)


OnPodEvents = Annotated[
    PodEventsShape | None,
    Written(
        matcher=PodEvents,
        compile=compile_pod_events,
        tag="PodEvents",
        pattern="regexp",
        findings=pod_event_findings,
    ),
]


def compile_node_log(shape: PatternShape) -> NodeLog:
    return NodeLog(pattern=shape.compiled())


OnNodeLog = Annotated[
    PatternShape | None, Written(matcher=NodeLog, compile=compile_node_log, tag="NodeLog", pattern="pattern")
]


def compile_log_tail(shape: PatternShape) -> LogTail:
    return LogTail(pattern=shape.compiled())


OnLogTail = Annotated[
    PatternShape | None, Written(matcher=LogTail, compile=compile_log_tail, tag="LogTail", pattern="pattern")
]


def compile_output(shape: PatternShape) -> Output:
    return Output(pattern=shape.compiled())


OnOutput = Annotated[
    PatternShape | None, Written(matcher=Output, compile=compile_output, tag="Output", pattern="pattern")
]


# Retry policies have RE2 only.
class Re2PatternShape(Shape):
    pattern: str


def compile_termination_message(shape: PatternShape) -> TerminationMessage:
    return TerminationMessage(pattern=shape.compiled())


def compile_in_re2(shape: Re2PatternShape) -> TerminationMessage:
    return TerminationMessage(pattern=Pattern(text=shape.pattern))


OnTerminationMessage = Annotated[
    PatternShape | None,
    Written(
        matcher=TerminationMessage, compile=compile_termination_message, tag="TerminationMessage", pattern="pattern"
    ),
]

OnTerminationMessageInRe2 = Annotated[
    Re2PatternShape | None, Written(matcher=TerminationMessage, compile=compile_in_re2, pattern="pattern")
]
