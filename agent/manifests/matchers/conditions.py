"""How ``onConditions`` is written: a list of names."""

from collections.abc import Sequence
from typing import Annotated

from agent.core.classify.matchers.conditions import Conditions
from agent.manifests.fields import ConditionName
from agent.manifests.matchers.written import Written


def compile_conditions(names: Sequence[str]) -> Conditions:
    return Conditions(names=tuple(names))


OnConditions = Annotated[
    list[ConditionName] | None, Written(matcher=Conditions, compile=compile_conditions, tag="Conditions", is_list=True)
]
