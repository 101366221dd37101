"""How ``onNodeLog`` is written: a pattern, and which engine searches it."""

from typing import Annotated

from agent.core.classify.matchers.node_log import NodeLog
from agent.manifests.matchers.text import PatternShape
from agent.manifests.matchers.written import Written


def compile_node_log(shape: PatternShape) -> NodeLog:
    return NodeLog(pattern=shape.compiled())


OnNodeLog = Annotated[
    PatternShape | None, Written(matcher=NodeLog, compile=compile_node_log, tag="NodeLog", pattern="pattern")
]
