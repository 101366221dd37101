"""How ``onNamespaces`` is written: an operator and exact names."""

from typing import Annotated

from pydantic import Field, Strict

from agent.core.classify.matchers.exit_codes import Operator
from agent.core.classify.matchers.namespaces import Namespaces
from agent.documents.shape import Shape
from agent.manifests.fields import Name
from agent.manifests.matchers.written import Written


class NamespacesShape(Shape):
    operator: Annotated[Operator, Strict(False)]
    values: Annotated[list[Name], Field(min_length=1)]


def compile_namespaces(shape: NamespacesShape) -> Namespaces:
    return Namespaces(operator=shape.operator, values=frozenset(shape.values))


OnNamespaces = Annotated[
    NamespacesShape | None, Written(matcher=Namespaces, compile=compile_namespaces, tag="Namespaces")
]
