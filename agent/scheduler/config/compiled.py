"""The values of stored documents, each text compiled once: for decisions, and for whoever changes resources."""

from collections.abc import Iterable

from agent.documents.problem import ManifestError
from agent.manifests.resource.kind import Kind
from agent.manifests.resource.read import load_resource
from agent.manifests.resource.resource import Resource, Value
from agent.store.resources import StoredResource


class CompiledTexts:
    """Gives the value of a document, or what is wrong with it.

    What a text means depends on nothing else, so a value is never out of date, whoever wrote the text. Several threads
    may ask: one that misses what another has compiled or dropped meanwhile compiles it again.
    """

    def __init__(self) -> None:
        self._values: dict[tuple[str, str, str], Value | ManifestError] = {}

    def of(self, kind: str, name: str, text: str) -> Value | ManifestError:
        """The value of a document."""
        key = (kind, name, text)
        value = self._values.get(key)
        if value is None:
            value = self._values[key] = _compiled(kind, name, text)
        return value

    def add(self, document: Resource) -> None:
        """Remember the value of a document that was compiled from its own text, as it will be stored."""
        self._values[document.kind, document.name, document.text] = document.value

    def keep(self, rows: Iterable[StoredResource]) -> None:
        """Forget all others than these."""
        before = self._values
        keys = ((row.kind, row.name, row.text) for row in rows)
        self._values = {key: before[key] for key in keys if key in before}


def _compiled(kind: str, name: str, text: str) -> Value | ManifestError:
    try:
        return load_resource(text, file=f"{kind} {name}", kind=Kind(kind)).value
    except ManifestError as error:
        return error
