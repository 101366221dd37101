"""Settings as one of the kinds of documents that ``failctl lint`` knows: recognised by their keys and checked."""

from collections.abc import Collection
from collections.abc import Mapping as Variables
from typing import cast

from agent.documents.checked import Checked
from agent.documents.node import Mapping, Node, plain
from agent.documents.problem import Problem, in_order
from agent.documents.source import Source
from agent.settings.base import Settings
from agent.settings.fault import ConfigError, SettingFault
from agent.settings.load import fitting, settings_of, shared
from agent.settings.marks import Marked, Plain
from agent.settings.processes import PROCESSES

_MODELS = tuple(PROCESSES.values())


def is_settings(root: Node) -> bool:
    """Return whether a document looks like settings of one of our processes: some of its keys are theirs."""
    return any(shared(model, _keys(root)) for model in _MODELS)


def check_settings(root: Node, source: Source, *, environ: Variables[str, str]) -> Checked[Settings]:
    """Check settings of whichever process has more of the keys. Variables may give what is missing."""
    marked = Marked(file=source.file, value=cast("Plain", plain(root)), root=root)
    try:
        return Checked(value=settings_of(fitting(_MODELS, _keys(root)), marked, environ), problems=())
    except ConfigError as error:
        return Checked(value=None, problems=in_order(_problem(fault, source.file) for fault in error.faults))


def _keys(root: Node) -> Collection[str]:
    return [entry.key for entry in root.entries] if isinstance(root, Mapping) else ()


def _problem(fault: SettingFault, file: str) -> Problem:
    """Return a fault as a problem of the file, or of the variable that caused it.

    The text of the line is left out, because it may contain a password.
    """
    name, *place = fault.place.rsplit(":", maxsplit=2)
    where, (line, column) = (file, map(int, place)) if name == file else (fault.place, (0, 0))
    message, _, hint = fault.message.partition("; ")
    return Problem(
        code="invalid-setting", file=where, line=line, column=column, path=fault.path, message=message, hint=hint
    )
