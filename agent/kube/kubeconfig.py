"""Reads the kubeconfig for the client: what is wrong with it, and which paths were tried.

The client's own reader calls a missing file invalid, follows YAML 1.1, and has no bounds. Several files in KUBECONFIG
are merged as it does: of what has the same name the first counts, of current contexts the last.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from kubernetes.aio.config.kube_config import KUBE_CONFIG_DEFAULT_LOCATION, ConfigNode

from agent.documents.checked import read_plain
from agent.documents.grammar import OBJECT
from agent.documents.problem import ManifestError
from agent.documents.source import read_file

_PARTS: Final = ("clusters", "contexts", "users")
_PARTS_IN_WORDS: Final = "clusters, contexts and users"
_CURRENT: Final = "current-context"

Document = Mapping[str, Any]
"""What a file says."""


class KubeconfigError(Exception):
    """No usable kubeconfig; the text names the file and says what to change."""


def read_kubeconfig(file: Path | None, *, context: str | None) -> ConfigNode:
    """Read the kubeconfig ``file``, else the user's own, for the client's loader. Raises KubeconfigError."""
    there = {path: _document(path) for path in _existing(file)}
    _check_context(list(there.values()), context=context, said=_listed(list(there)))
    return _merged(there)


def _existing(file: Path | None) -> list[Path]:
    if file is not None:
        if not file.exists():
            raise KubeconfigError(f"there is no kubeconfig {file}; name an existing file")
        return [file]
    looked = [_expanded(location) for location in KUBE_CONFIG_DEFAULT_LOCATION.split(os.pathsep) if location]
    there = [path for path in looked if path.exists()]
    if not there:
        raise KubeconfigError(f"there is no kubeconfig: looked for {_listed(looked)}; name one, or set KUBECONFIG")
    return there


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise KubeconfigError(f"there is no kubeconfig {path}: no such home directory; correct KUBECONFIG") from error


def _document(path: Path) -> Document:
    try:
        document = read_plain(_bytes(path), file=str(path), grammar=OBJECT)
    except ManifestError as error:
        problem = error.problems[0]
        place = f"line {problem.line}, column {problem.column}"
        raise KubeconfigError(f"the kubeconfig {path} cannot be read: {place}: {problem.message}") from error
    if document is None:
        raise KubeconfigError(f"the kubeconfig {path} is empty")
    if not isinstance(document, dict):
        raise KubeconfigError(f"{path} is not a kubeconfig: it is not a mapping with {_PARTS_IN_WORDS}")
    return document


def _bytes(path: Path) -> bytes:
    try:
        return read_file(path)
    except IsADirectoryError as error:
        raise KubeconfigError(f"the kubeconfig {path} is a folder; name a file in it") from error
    except OSError as error:
        raise KubeconfigError(f"the kubeconfig {path} cannot be read: {error.strerror}") from error


def _merged(documents: Mapping[Path, Document]) -> ConfigNode:
    whole: dict[str, Any] = {part: [] for part in _PARTS}
    for path, document in documents.items():
        for part in _PARTS:
            for node in _nodes(part, document, path):
                if not any(known["name"] == node["name"] for known in whole[part]):
                    whole[part].append(node)
        if document.get(_CURRENT):
            whole[_CURRENT] = document[_CURRENT]
    return ConfigNode("kubeconfig", whole)


def _nodes(part: str, document: Document, path: Path) -> Iterator[ConfigNode]:
    """The named entries of a part; each knows its file, from which the client resolves the paths in it."""
    entries = document.get(part) or ()
    if not isinstance(entries, list | tuple):
        raise KubeconfigError(f"the kubeconfig {path} cannot be used: {part} must be a list")
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict) or "name" not in entry:
            raise KubeconfigError(
                f"the kubeconfig {path} cannot be used: {part}[{number}] must be a mapping with a name"
            )
        yield ConfigNode(f"{path}: {part}[{number}]", entry, str(path))


def _check_context(documents: Sequence[Document], *, context: str | None, said: str) -> None:
    names = list(_names_of_contexts(documents))
    choice = f"it has {', '.join(names)}" if names else "it has none"
    if context is not None and context not in names:
        raise KubeconfigError(f"the kubeconfig {said} has no context {context}; {choice}")
    if context is None and not any(document.get(_CURRENT) for document in documents):
        raise KubeconfigError(f"the kubeconfig {said} has no current context; name one: {choice}")


def _names_of_contexts(documents: Sequence[Document]) -> Iterator[str]:
    for document in documents:
        contexts = document.get("contexts")
        for entry in contexts if isinstance(contexts, list) else ():
            if isinstance(entry, dict):
                yield str(entry.get("name"))


def _listed(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths))
