"""Reads resources from a text: documents of any of the kinds, lists of one kind, and error tables."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from agent.core.error_table.row import ACTIONS
from agent.documents.checked import Checked, empty_document, with_faults
from agent.documents.compose import Documents, read
from agent.documents.node import List, Mapping, MappingEntry, Node, PathStep, Scalar, find, plain, text_at, write_path
from agent.documents.problem import ManifestError, Problem, errors_of, in_order, nearest_or_all, quote
from agent.documents.source import Fault, Source
from agent.manifests.error_table.load import check_error_table
from agent.manifests.error_table.shapes import API_VERSION as ERROR_VERSION
from agent.manifests.error_table.shapes import TABLE_KIND
from agent.manifests.resource.kind import Kind
from agent.manifests.resource.resource import Resource, Value, name_of
from agent.manifests.resource.write import as_document, item_of

_MARKER: Final = re.compile(r"^(?:---(?=\s|$)[ \t]*\r?\n?|\.\.\.[ \t]*\r?\n?|%[^\n]*\n)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceFile:
    """The resources of a text without errors, in order, and every problem of it."""

    resources: tuple[Resource, ...]
    problems: tuple[Problem, ...]

    def value_or_raise(self) -> tuple[Resource, ...]:
        """Return the resources. Raises ``ManifestError`` with every error if there is one."""
        if found := errors_of(self.problems):
            raise ManifestError(found)
        return self.resources


def load_resource(text: str, *, file: str, kind: Kind) -> Resource:
    """Return the only resource of a text. Raises ``ManifestError`` with every fault at once."""
    found = read_resources(text, file=file, only=kind).value_or_raise()
    if len(found) == 1:
        return found[0]
    source = Source(text, file=file)
    fault = replace(empty_document(), code="several-documents", message=f"expected one document, found {len(found)}")
    raise ManifestError((source.problem(fault),))


def read_resources(text: str | bytes, *, file: str, only: Kind | None = None) -> ResourceFile:
    """Read every resource of a text. Raises nothing: what is wrong is in ``problems``.

    With ``only``, documents of another kind are errors. The second of two resources of one kind and name is one too.
    """
    documents = read(text, file=file)
    if documents.problems or not documents.roots:
        return ResourceFile(resources=(), problems=documents.problems or (documents.source.problem(empty_document()),))
    texts = _texts(documents)
    found = [
        resource
        for number, root in enumerate(documents.roots)
        for resource in _resources(root, texts[number], documents.source, only=only)
    ]
    problems = [problem for resource in found for problem in resource.problems]
    resources = [resource.value for resource in found if resource.value is not None]
    return ResourceFile(
        resources=tuple(resource for resource, _ in resources),
        problems=in_order([*problems, *_repeated(resources, documents.source)]),
    )


def _texts(documents: Documents) -> list[str]:
    """The text of each document, between the markers around it."""
    text = documents.source.text
    markers = list(_MARKER.finditer(text))
    begins, ends = [0, *(marker.end() for marker in markers)], [*(marker.start() for marker in markers), len(text)]
    numbers = [bisect_right(begins, documents.source.index(root.span)) - 1 for root in documents.roots]
    return [text[begins[number] : ends[number]].lstrip("\r\n") for number in numbers]


_Found = Checked[tuple[Resource, Node]]


def _resources(root: Node, text: str, source: Source, *, only: Kind | None) -> Iterator[_Found]:
    written = text_at(find(root, ("kind",)))
    if written == TABLE_KIND and only in (None, Kind.ERROR_RULE):
        yield from _of_table(root, source)
        return
    fault = _kind_fault(root, written, only)
    if fault is not None:
        yield with_faults([fault], source)
        return
    kind = Kind(str(written))
    listed = root.entry(kind.listed) if isinstance(root, Mapping) else None
    if listed is None:
        yield _checked(kind, root, text, source)
        return
    yield from _of_list(kind, root, listed.value, text, source)


def _kind_fault(root: Node, written: str | None, only: Kind | None) -> Fault | None:
    """The fault of a document of no known kind, of a wrong kind, or of a version that there is not."""
    at = find(root, ("kind",)) or root
    if written is None or written not in Kind.__members__.values():
        hint = nearest_or_all(written or "", [*Kind, TABLE_KIND])
        message = f"invalid kind {quote(written)}" if written else "`kind` is required"
        return Fault(code="unknown-document", span=at.span, path="kind", message=message, hint=hint)
    if only is not None and written != only:
        message, hint = f"kind must be {only}", "leave the kind out of the command, or name this one"
        return Fault(code="wrong-kind", span=at.span, path="kind", message=message, hint=hint)
    version, kind = find(root, ("apiVersion",)), Kind(written)
    if version is not None and text_at(version) not in kind.reader.versions:
        hint = nearest_or_all(text_at(version) or "", kind.reader.versions)
        message = f"invalid version of a {kind.word}"
        return Fault(code="unknown-value", span=version.span, path="apiVersion", message=message, hint=hint)
    return None


def _checked(kind: Kind, root: Node, text: str, source: Source, *, at: tuple[PathStep, ...] = ()) -> _Found:
    checked: Checked[Value] = kind.reader.check(root, source)
    prefix = write_path(at)
    problems = tuple(replace(problem, path=f"{prefix}.{problem.path}".strip(".")) for problem in checked.problems)
    if checked.value is None:
        return Checked(value=None, problems=problems)
    resource = Resource(
        kind=kind, name=name_of(checked.value), text=text, value=checked.value, findings=checked.problems
    )
    return Checked(value=(resource, root), problems=problems)


def _of_list(kind: Kind, root: Node, listed: Node, text: str, source: Source) -> Iterator[_Found]:
    """Each item of a list that ``get`` printed, as the document that it is with the list's version and kind."""
    if not isinstance(root, Mapping) or not isinstance(listed, List):
        fault = Fault(code="wrong-type", span=listed.span, path=kind.listed, message="expected a list")
        yield with_faults([fault], source)
        return
    for entry in root.entries:
        if entry.key not in ("apiVersion", "kind", kind.listed):
            message = f"unknown field `{entry.key}`: a list has only apiVersion, kind and {kind.listed}"
            yield with_faults([Fault(code="unknown-field", span=entry.span, path=entry.key, message=message)], source)
    head = [written for key in ("apiVersion", "kind") if (written := root.entry(key)) is not None]
    for number, item in enumerate(listed.items):
        if not isinstance(item, Mapping):
            path = write_path((kind.listed, number))
            yield with_faults(
                [Fault(code="wrong-type", span=item.span, path=path, message="expected a mapping")], source
            )
            continue
        whole = _with(item, head)
        found = _checked(kind, whole, "", source, at=(kind.listed, number))
        if found.value is not None:
            resource = replace(found.value[0], text=item_of(text, kind.listed, number))
            found = replace(found, value=(resource, whole))
        yield found


def _of_table(root: Node, source: Source) -> Iterator[_Found]:
    """Each row of an error table as a rule; what is no rule cannot be kept as a resource."""
    table = check_error_table(root, source)
    if table.value is None:
        yield Checked(value=None, problems=table.problems)
        return
    if isinstance(root, Mapping):
        for entry in root.entries:
            if entry.key == "classification" or (entry.key == "actions" and table.value.actions != ACTIONS):
                message = f"only the rules of an error table are resources, not its `{entry.key}`"
                hint = "keep the table as a file, or delete this field"
                fault = Fault(code="not-a-resource", span=entry.span, path=entry.key, message=message, hint=hint)
                yield with_faults([fault], source)
    rules, names = find(root, ("rules",)), {action.identity: str(action.name) for action in ACTIONS}
    for row in rules.items if isinstance(rules, List) else ():
        spec: dict[str, Any] = dict(plain(row))  # type: ignore[call-overload]  # a row that fits its shape is a mapping
        spec["RetryAction"] = names.get(spec["RetryAction"], spec["RetryAction"])
        text = as_document({"apiVersion": ERROR_VERSION, "kind": Kind.ERROR_RULE.value, "spec": spec})
        resource = load_resource(text, file=source.file, kind=Kind.ERROR_RULE)
        yield Checked(value=(resource, row), problems=())
    yield Checked(value=None, problems=table.problems)


def _with(item: Mapping, head: list[MappingEntry]) -> Mapping:
    own = tuple(entry for entry in item.entries if entry.key not in ("apiVersion", "kind"))
    return Mapping(entries=(*head, *own), span=item.span, size=item.size + 2 * len(head))


def _repeated(resources: list[tuple[Resource, Node]], source: Source) -> Iterator[Problem]:
    seen: dict[tuple[Kind, str], Node] = {}
    for resource, root in resources:
        first = seen.setdefault((resource.kind, resource.name), root)
        if first is not root:
            at = _name_node(root)
            message = f"the {resource.kind.word} {quote(resource.name)} is given twice; first at line {first.span.line}"
            yield source.problem(Fault(code="duplicate-name", span=at.span, message=message))


def _name_node(root: Node) -> Node:
    paths = (("metadata", "name"), ("name",), ("spec", "RetryError_ID"), ("RetryError_ID",))
    return next((node for path in paths if isinstance(node := find(root, path), Scalar)), root)
