"""How ``onPodError`` is written: a pattern, and which engine searches it."""

from typing import Annotated

from agent.core.classify.matchers.pod_error import PodError
from agent.manifests.matchers.text import PatternShape
from agent.manifests.matchers.written import Written


def compile_pod_error(shape: PatternShape) -> PodError:
    return PodError(pattern=shape.compiled())


OnPodError = Annotated[
    PatternShape | None, Written(matcher=PodError, compile=compile_pod_error, tag="PodError", pattern="pattern")
]
