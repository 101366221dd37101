"""Texts of resources: changed or made without losing comments, which our own reader does not keep.

Whatever is given here, that reader has read before: ruamel has no bounds.
"""

from collections.abc import Iterable, Mapping, MutableMapping
from io import StringIO
from typing import Any

from ruamel.yaml import YAML  # noqa: TID251 - as above
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from agent.core.queue import Queue
from agent.documents.dump import dump
from agent.manifests.queue.load import load_queue
from agent.manifests.resource.kind import Kind
from agent.manifests.retry.shapes import API_VERSION


class NotRewritable(ValueError):
    """A text that cannot be changed without changing what else it says; somebody has to edit it."""


def as_document(content: MutableMapping[str, Any]) -> str:
    """The text of a document without comments."""
    # not by ruamel: it quotes for YAML 1.2 only, where `no` is text
    return dump(dict(content))


def queue_with(name: str, fields: Mapping[str, object], *, before: str = "") -> str:
    """A queue's text with these fields of ``spec``; ``before`` keeps its other fields, and comments."""
    if not before:
        head = {"apiVersion": API_VERSION, "kind": Kind.QUEUE.value, "metadata": {"name": name}}
        return as_document({**head, "spec": dict(fields)})
    whole = _loaded(before)
    flat = "spec" not in whole
    for field, value in fields.items():
        (whole if flat else whole["spec"])[_FLAT.get(field, field) if flat else field] = value
    return _dumped(whole)


_FLAT = {"priority": "priorityFactor"}
"""Fields that Armada's form of a queue calls otherwise."""


def as_list(kind: Kind, texts: Iterable[str], *, version: str) -> str:
    """One mapping with documents of one dialect, which ``create -f`` takes; valid without any of them too."""
    items = CommentedSeq()
    for text in texts:
        content = _loaded(text)
        for key in ("apiVersion", "kind"):
            content.pop(key, None)
        items.append(content)
    return _dumped(CommentedMap({"apiVersion": version, "kind": kind.value, kind.listed: items}))


def item_of(text: str, field: str, number: int) -> str:
    """The text of one item of a list, with the list's version and kind."""
    whole = _loaded(text)
    item: CommentedMap = whole[field][number]
    for key in ("apiVersion", "kind"):
        item.pop(key, None)
    item.insert(0, "kind", whole["kind"])
    item.insert(0, "apiVersion", whole["apiVersion"])
    return _dumped(item)


def without_policy(text: str, policy: str) -> str:
    """A queue's text with a policy taken out of its list; everything else stays. Raises NotRewritable."""
    before = load_queue(text, file="")
    whole = _loaded(text)
    fields = whole.get("spec", whole)
    names: CommentedSeq = fields["retryPolicies"]
    names.remove(policy)
    after = _dumped(whole)
    if not _says(after, before, without=policy):
        raise NotRewritable(f"queue {before.name}: take {policy} out of its retryPolicies first")
    return after


def _says(text: str, before: Queue, *, without: str) -> bool:
    left = tuple(name for name in before.policies if name != without)
    after = load_queue(text, file="")
    return after.policies == left and after.name == before.name and after.permissions == before.permissions


def _loaded(text: str) -> Any:  # noqa: ANN401 - ruamel's tree has the types of what was written
    return _yaml().load(text)


def _dumped(content: object) -> str:
    out = StringIO()
    _yaml().dump(content, out)
    return out.getvalue()


def _yaml() -> YAML:
    rewriting = YAML(typ="rt")
    rewriting.preserve_quotes = True
    rewriting.width = 1_000_000
    return rewriting
