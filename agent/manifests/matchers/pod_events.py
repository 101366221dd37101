"""How ``onPodEvents`` is written: a pattern, which engine searches it, and of which events."""

from typing import Annotated, Literal

from pydantic import Strict

from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.text import Engine, Pattern
from agent.documents.shape import Shape
from agent.manifests.matchers.written import Written


class PodEventsShape(Shape):
    regexp: str
    type: Literal["Normal", "Warning"]
    reason: str | None = None
    engine: Annotated[Engine, Strict(False)] = Engine.RE2


def compile_pod_events(shape: PodEventsShape) -> PodEvents:
    pattern = Pattern(text=shape.regexp, engine=shape.engine)
    return PodEvents(type=shape.type, pattern=pattern, reason=shape.reason or None)


OnPodEvents = Annotated[
    PodEventsShape | None, Written(matcher=PodEvents, compile=compile_pod_events, tag="PodEvents", pattern="regexp")
]
