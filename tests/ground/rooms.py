"""The import contract of a room: what its modules may import, direct imports only, as in docs/architecture.md.

import-linter ships contracts that forbid; a room is described by what it may do, so that a new room or
package is refused until somebody decides.
"""

from collections.abc import Iterator
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

OURS = "agent"


def is_within(module: str, packages: set[str]) -> bool:
    """Whether a module is one of these packages or lies below one."""
    return any(module == package or module.startswith(f"{package}.") for package in packages)


class RoomContract(Contract):
    """A room imports itself, the rooms it names, and, where it says so, only the outside packages it names.

    ``modules``: the room. ``rooms``: what of ours it may import. ``outside``: standard library modules and
    packages it may import; left out, any. ``planned``: the room may not be there yet.
    """

    type_name = "room"

    modules: Any = fields.SetField(subfield=fields.StringField())
    rooms: Any = fields.SetField(subfield=fields.StringField(), required=False, default=frozenset())
    outside: Any = fields.SetField(subfield=fields.StringField(), required=False)
    planned: Any = fields.BooleanField(required=False, default=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: FBT001 - import-linter's signature
        """Find every direct import that the room may not have."""
        output.verbose_print(verbose, f"Looking at {', '.join(sorted(self.modules))}")
        importers = sorted(module for module in graph.modules if is_within(module, self.modules))
        if not importers and not self.planned:
            raise ValueError(f"{', '.join(sorted(self.modules))}: no such room; say planned = True if it is to come")
        refused = [line for importer in importers for line in self._refused(graph, importer)]
        return ContractCheck(kept=not refused, metadata={"refused": refused})

    def _refused(self, graph: ImportGraph, importer: str) -> Iterator[str]:
        for imported in sorted(graph.find_modules_directly_imported_by(importer)):
            if not self._may_import(imported):
                lines = graph.get_import_details(importer=importer, imported=imported)
                numbers = ", ".join(str(detail["line_number"]) for detail in lines)
                yield f"{importer} imports {imported} (line {numbers})"

    def _may_import(self, imported: str) -> bool:
        if imported == OURS or is_within(imported, self.modules | set(self.rooms)):
            return True
        if is_within(imported, {OURS}):
            return False
        return self.outside is None or is_within(imported, self.outside)

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Say each import that was refused."""
        refused: list[Any] = check.metadata["refused"]
        for line in refused:
            output.print_error(line, bold=False)
