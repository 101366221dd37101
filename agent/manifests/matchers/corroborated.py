"""How ``corroborated`` is written: true or false."""

from typing import Annotated

from agent.core.classify.matchers.corroborated import Corroborated
from agent.manifests.matchers.written import Written


def compile_corroborated(value: bool) -> Corroborated:  # noqa: FBT001 - the value itself
    return Corroborated(value=value)


OnCorroborated = Annotated[bool | None, Written(matcher=Corroborated, compile=compile_corroborated)]
