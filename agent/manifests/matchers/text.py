"""How matchers that search a text are written: a pattern, and which engine searches it."""

from typing import Annotated

from pydantic import Strict

from agent.core.classify.matchers.text import Engine, Pattern
from agent.documents.shape import Shape


class PatternShape(Shape):
    """``onTerminationMessage``, ``onPodError``, ``onNodeLog``, ``onLogTail``."""

    pattern: str
    engine: Annotated[Engine, Strict(False)] = Engine.RE2

    def compiled(self) -> Pattern:
        return Pattern(text=self.pattern, engine=self.engine)
