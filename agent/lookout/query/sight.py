"""What a caller may see. Every statement passes here, so this is the one place that narrows what is found."""

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Select

OPTION: Final = "sight"
"""The execution option by which a statement says that it passed."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a caller may see. ``name`` tells what differs apart, for what is kept between requests."""

    name: str

    def of(self, statement: Select[Any]) -> Select[Any]:
        """The statement, which finds nothing that is not seen."""
        return statement.execution_options(**{OPTION: self.name})


EVERYTHING: Final = Sight("everything")
"""All that is stored. Until there are rights, every caller may see it."""
