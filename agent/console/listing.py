"""Rows in every form that ``-o`` knows, written as they come."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TextIO

from agent.console.options import ListForm
from agent.console.terminal import visible

Document = Mapping[str, Any]
"""One row as plain JSON values."""


def write_documents(
    documents: Iterable[Document], form: ListForm, *, name: Callable[[Document], str], out: TextIO
) -> None:
    """Write rows for programs, or only the ``name`` of each. The caller writes tables, because it knows the columns.

    JSON and YAML escape all but ASCII, so that nothing hostile reaches a terminal.
    """
    match form:
        case "json":
            out.writelines(_array(documents))
        case "jsonl":
            out.writelines(f"{json.dumps(document)}\n" for document in documents)
        case "yaml":
            out.writelines(f"---\n{as_yaml(document)}" for document in documents)
        case "name":
            out.writelines(f"{visible(name(document))}\n" for document in documents)
        case "table" | "wide":
            raise ValueError(f"{form} is written by the command itself")


def as_yaml(document: Document) -> str:
    """One document, in the order of its fields."""
    import yaml  # noqa: PLC0415 - no other form needs it

    return yaml.safe_dump(dict(document), sort_keys=False, allow_unicode=False)


def _array(documents: Iterable[Document]) -> Iterator[str]:
    """An array, an element a line."""
    between = "["
    for document in documents:
        yield f"{between}\n{json.dumps(document)}"
        between = ","
    yield "[]\n" if between == "[" else "\n]\n"
