"""How ``onLogTail`` is written: a pattern, and which engine searches it."""

from typing import Annotated

from agent.core.classify.matchers.log_tail import LogTail
from agent.manifests.matchers.text import PatternShape
from agent.manifests.matchers.written import Written


def compile_log_tail(shape: PatternShape) -> LogTail:
    return LogTail(pattern=shape.compiled())


OnLogTail = Annotated[
    PatternShape | None, Written(matcher=LogTail, compile=compile_log_tail, tag="LogTail", pattern="pattern")
]
