"""Questions for counts: of which rows, by which columns, from when to when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from agent.lookout.query import rollup_rows
from agent.lookout.query.columns import JOBS, List
from agent.lookout.query.conditions import Condition
from agent.lookout.query.parameters import Items, Parameters, several_of, whole_number
from agent.lookout.query.refusal import Fault, Refused
from agent.lookout.query.rollup_rows import Rollup
from agent.lookout.query.window import DAY, MOST_BY_ROWS, Base, Window, read_window

DEEPEST: Final = 4
"""Columns by which groups are nested."""

MOST: Final = 500
USUAL: Final = 50
"""Groups of one level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupQuestion:
    """What is counted, by which columns, from when to when; ``limit`` is that of groups on each level."""

    of: List
    by: tuple[str, ...]
    conditions: tuple[Condition, ...]
    window: Window
    limit: int

    @property
    def fields(self) -> Sequence[str]:
        """The columns of the table."""
        return [self.of.named(name).field for name in self.by]

    @property
    def base(self) -> Base:
        """Rollups answer what is about more than a day, where they can."""
        in_rollups = self.of is not JOBS and rollup_rows.answers(self.fields, self.conditions)
        return Base.ROLLUPS if in_rollups and self.window.length > DAY else Base.ROWS

    @property
    def counted_window(self) -> Window:
        """The window that is counted: rollups know whole hours or days."""
        return self.rollup.whole(self.window) if self.base is Base.ROLLUPS else self.window

    @property
    def rollup(self) -> Rollup:
        """The rollup that answers, if rollups do."""
        return rollup_rows.chosen([*self.fields, "origin"], self.conditions, self.window)

    def counted(self) -> "GroupQuestion":
        """The same, if counting does not take too long. Raises Refused."""
        if self.base is Base.ROWS and self.window.length > MOST_BY_ROWS:
            days, columns = MOST_BY_ROWS.days, ", ".join(rollup_rows.COLUMNS)
            message = f"{days} days are counted at most, but for runs and failures by {columns} alone"
            raise Refused([Fault("since", message, f"write since={days}d, or leave the other columns out")])
        return self


def read_group_question(of: List, items: Items, *, by: str, now: datetime) -> GroupQuestion:
    """The question that the parameters of a request ask; ``by`` is the one with the columns. Raises Refused."""
    parameters = Parameters(items, now=now)
    question = GroupQuestion(
        of=of,
        by=parameters.take(by, several_of(of.groups, "column to group by", most=DEEPEST), (of.groups[0],)),
        window=read_window(parameters, usual=DAY),
        limit=parameters.take("limit", whole_number(1, MOST), USUAL),
        conditions=parameters.conditions(of),
    )
    parameters.done()
    return question.counted()
