"""How matchers of facts of a pod are written: its conditions, and its namespace."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, Strict

from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import Operator
from agent.core.classify.matchers.namespaces import Namespaces
from agent.documents.shape import Shape
from agent.manifests.fields import ConditionName, Name
from agent.manifests.matchers.written import Written


def compile_conditions(names: Sequence[str]) -> Conditions:
    return Conditions(names=tuple(names))


OnConditions = Annotated[
    list[ConditionName] | None, Written(matcher=Conditions, compile=compile_conditions, tag="Conditions", is_list=True)
]


class NamespacesShape(Shape):
    operator: Annotated[Operator, Strict(False)]
    values: Annotated[list[Name], Field(min_length=1)]


def compile_namespaces(shape: NamespacesShape) -> Namespaces:
    return Namespaces(operator=shape.operator, values=frozenset(shape.values))


OnNamespaces = Annotated[
    NamespacesShape | None, Written(matcher=Namespaces, compile=compile_namespaces, tag="Namespaces")
]
