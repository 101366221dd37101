"""The file of contexts."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from pydantic import Field, model_validator

from agent.console.exits import NotFoundError, UsageError
from agent.console.terminal import visible
from agent.ctl.destination import check_address, check_lookout
from agent.ctl.files import unusable
from agent.documents.checked import Checked, check_one, problems_of
from agent.documents.compose import read
from agent.documents.dump import dump
from agent.documents.node import Node
from agent.documents.problem import ManifestError
from agent.documents.shape import Shape, check
from agent.documents.source import Source, read_file

VARIABLE: Final = "FAILCTL_CONFIG"


class Context(Shape):
    """The APIs of a scheduler and of a Lookout, or of one of them.

    ``tokenFile`` and ``caFile`` have no effect: no API has authentication yet.
    """

    name: str
    server: str | None = None
    lookout: str | None = None
    tokenFile: str | None = None  # noqa: N815 - as the file spells it
    caFile: str | None = None  # noqa: N815 - as above

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if self.server is None and self.lookout is None:
            raise ValueError("name a `server`, a `lookout`, or both")
        return self

    def words(self) -> str:
        """Its addresses, for people."""
        lookout = None if self.lookout is None else f"lookout {self.lookout}"
        return "  ".join(visible(address) for address in (self.server, lookout) if address is not None)


class _File(Shape):
    current: str | None = None
    contexts: list[Context] = Field(default=[])


@dataclass(frozen=True, slots=True, kw_only=True)
class Contexts:
    """The contexts of a file, and the name of the current one."""

    file: Path
    contexts: tuple[Context, ...] = ()
    current: str | None = None

    def named(self, name: str) -> Context:
        """The context of this name. Raises NotFoundError."""
        found = next((context for context in self.contexts if context.name == name), None)
        if found is None:
            known = ", ".join(context.name for context in self.contexts) or "none"
            raise NotFoundError(f"there is no context {visible(name)} in {self.file}; there are: {known}")
        return found


def context_file(environ: Mapping[str, str]) -> Path:
    """Where contexts are kept."""
    if environ.get(VARIABLE):
        return Path(environ[VARIABLE])
    home = environ.get("XDG_CONFIG_HOME") or f"{environ.get('HOME', '~')}/.config"
    return Path(home) / "failctl" / "config.yaml"


def read_contexts(environ: Mapping[str, str]) -> Contexts:
    """The contexts; none if there is no file. Raises UsageError for a file that cannot be used."""
    file = context_file(environ)
    try:
        documents = read(read_file(file), file=str(file))
    except FileNotFoundError:
        return Contexts(file=file)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from error
    if not documents.roots and not documents.problems:
        return Contexts(file=file)
    try:
        found = check_one(documents, _check).value_or_raise()
    except ManifestError as error:
        raise unusable(str(file), error) from error
    return Contexts(file=file, contexts=tuple(found.contexts), current=found.current)


def _check(root: Node, source: Source) -> Checked[_File]:
    fit = check(_File, root)
    return Checked(value=fit.value, problems=problems_of(fit.faults, source))


def changed(contexts: Contexts, name: str, *, server: str | None, lookout: str | None) -> Context:
    """The context of this name with these addresses, and of one that is there what they do not name.

    Raises UsageError.
    """
    given = {
        **({} if server is None else {"server": check_address(server)}),
        **({} if lookout is None else {"lookout": check_lookout(lookout)}),
    }
    if not given:
        raise UsageError("give --server HOST:PORT of a scheduler, --lookout URL, or both")
    before = next((context for context in contexts.contexts if context.name == name), None)
    return Context(name=name, **given) if before is None else before.model_copy(update=given)


def write_contexts(contexts: Contexts) -> None:
    """Write the file, whole or not at all. Raises UsageError."""
    content: dict[str, Any] = {
        "current": contexts.current,
        "contexts": [context.model_dump(exclude_none=True) for context in contexts.contexts],
    }
    partial = contexts.file.with_name(f".{contexts.file.name}.{os.getpid()}")
    try:
        contexts.file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(dump(content), encoding="utf-8")
        partial.replace(contexts.file)
    except OSError as error:
        raise UsageError(f"{contexts.file}: {error.strerror}") from error
