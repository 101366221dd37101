"""How ``onOutput`` is written: a pattern, and which engine searches it."""

from typing import Annotated

from agent.core.classify.matchers.output import Output
from agent.manifests.matchers.text import PatternShape
from agent.manifests.matchers.written import Written


def compile_output(shape: PatternShape) -> Output:
    return Output(pattern=shape.compiled())


OnOutput = Annotated[
    PatternShape | None, Written(matcher=Output, compile=compile_output, tag="Output", pattern="pattern")
]
