"""How ``onTerminationMessage`` is written: a pattern; in error categories also which engine searches it.

Retry policies have RE2 only.
"""

from typing import Annotated

from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Pattern
from agent.documents.shape import Shape
from agent.manifests.matchers.text import PatternShape
from agent.manifests.matchers.written import Written


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
