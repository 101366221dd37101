"""How ``onOrigin`` is written: a list of parties."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Strict

from agent.core.classify.matchers.origin import FailureOrigin
from agent.core.failure import Origin
from agent.manifests.matchers.written import Written


def compile_origin(origins: Sequence[Origin]) -> FailureOrigin:
    return FailureOrigin(origins=tuple(origins))


OnOrigin = Annotated[
    list[Annotated[Origin, Strict(False)]] | None,
    Written(matcher=FailureOrigin, compile=compile_origin, is_list=True),
]
