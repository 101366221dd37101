"""Checks the kubeconfig before the client's loader reads it: what is wrong with it, and which paths were tried.

The loader calls a missing file invalid, and its parser has no bounds.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import yaml
from kubernetes.aio.config.kube_config import KUBE_CONFIG_DEFAULT_LOCATION

from agent.bounds import MAX_BYTES, MAX_LEVELS, TOO_DEEP, TOO_LARGE

_PARTS: Final = "clusters, contexts and users"


class KubeconfigError(Exception):
    """No usable kubeconfig; the text names the file and says what to change."""


def check_kubeconfig(file: Path | None, *, context: str | None) -> None:
    """Look at the kubeconfig ``file``, else at the user's own. Raises KubeconfigError."""
    there = _existing(file)
    documents = [_document(path) for path in there]
    _check_context(documents, context=context, said=_listed(there))


def _existing(file: Path | None) -> list[Path]:
    if file is not None:
        if not file.exists():
            raise KubeconfigError(f"there is no kubeconfig {file}; name an existing file")
        return [file]
    looked = [_expanded(each) for each in KUBE_CONFIG_DEFAULT_LOCATION.split(os.pathsep) if each]
    there = [path for path in looked if path.exists()]
    if not there:
        raise KubeconfigError(f"there is no kubeconfig: looked for {_listed(looked)}; name one, or set KUBECONFIG")
    return there


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise KubeconfigError(f"there is no kubeconfig {path}: no such home directory; correct KUBECONFIG") from error


def _document(path: Path) -> dict[object, object]:
    text = _text(path)
    try:
        _check_levels(text, path)
        document = yaml.load(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise KubeconfigError(f"the kubeconfig {path} is not YAML: {_first_line(error)}") from error
    if document is None:
        raise KubeconfigError(f"the kubeconfig {path} is empty")
    if not isinstance(document, dict):
        raise KubeconfigError(f"{path} is not a kubeconfig: it is not a mapping with {_PARTS}")
    return document


def _text(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            text = stream.read(MAX_BYTES + 1)
    except IsADirectoryError as error:
        raise KubeconfigError(f"the kubeconfig {path} is a folder; name a file in it") from error
    except OSError as error:
        raise KubeconfigError(f"the kubeconfig {path} cannot be read: {error.strerror}") from error
    if len(text) > MAX_BYTES:
        raise KubeconfigError(f"the kubeconfig {path} is {TOO_LARGE}")
    return text


def _check_levels(text: bytes, path: Path) -> None:
    levels = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        levels += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if levels > MAX_LEVELS:
            raise KubeconfigError(f"the kubeconfig {path} is {TOO_DEEP}")


def _check_context(documents: Sequence[dict[object, object]], *, context: str | None, said: str) -> None:
    names = list(_names_of_contexts(documents))
    choice = f"it has {', '.join(names)}" if names else "it has none"
    if context is not None and context not in names:
        raise KubeconfigError(f"the kubeconfig {said} has no context {context}; {choice}")
    if context is None and not any(document.get("current-context") for document in documents):
        raise KubeconfigError(f"the kubeconfig {said} has no current context; name one: {choice}")


def _names_of_contexts(documents: Sequence[dict[object, object]]) -> Iterator[str]:
    for document in documents:
        contexts = document.get("contexts")
        for entry in contexts if isinstance(contexts, list) else ():
            if isinstance(entry, dict):
                yield str(entry.get("name"))


def _listed(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths))


def _first_line(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    place = "" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}: "
    return place + str(getattr(error, "problem", None) or error).split("\n", maxsplit=1)[0]
