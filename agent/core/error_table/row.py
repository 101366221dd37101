"""Rows of the error table, column for column ("Database structure" of PanDA's wiki, and PanDAWMS/panda-database)."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

ACTIVE = "Y"
"""The value of ``Active`` for an active rule or action; with any other text it only logs."""


class ActionKind(StrEnum):
    """The known actions (PanDAWMS/panda-server pandaserver/taskbuffer/retryModule.py)."""

    NO_RETRY = "no_retry"
    LIMIT_RETRY = "limit_retry"
    INCREASE_MEMORY = "increase_memory"
    INCREASE_MEMORY_XTIMES = "increase_memory_xtimes"
    INCREASE_CPUTIME = "increase_cputime"
    REDUCE_INPUT_PER_JOB = "reduce_input_per_job"


LIMITING = frozenset({ActionKind.NO_RETRY, ActionKind.LIMIT_RETRY})
"""The kinds among which only one rule is chosen, because each sets the limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRow:
    """A row of RETRYACTIONS."""

    identity: int
    name: str
    description: str | None = None
    active: str = ACTIVE


ACTIONS = (
    ActionRow(identity=1, name=ActionKind.NO_RETRY),
    ActionRow(identity=2, name=ActionKind.INCREASE_MEMORY),
    ActionRow(identity=3, name=ActionKind.LIMIT_RETRY),
    ActionRow(identity=4, name=ActionKind.INCREASE_CPUTIME),
    ActionRow(identity=5, name=ActionKind.INCREASE_MEMORY_XTIMES),
    ActionRow(identity=6, name=ActionKind.REDUCE_INPUT_PER_JOB),
)
"""The default actions: the three of PanDA's wiki with its numbers, then those that upstream added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRule:
    """A row of RETRYERRORS. ``identity`` names the rule in logs and explanations.

    For ``architecture``, ``release``, ``work_queue`` and ``diag``, ``None``, an empty text and 0 mean any.
    ``parameters`` is ``key1=value1&key2=value2``. The rule has an effect before ``expires_at``.
    """

    identity: int
    source: str
    code: int | str
    action: str
    parameters: str | None = None
    architecture: str | None = None
    release: str | None = None
    work_queue: int | None = None
    description: str | None = None
    expires_at: datetime | None = None
    active: str = ACTIVE
    diag: str | None = None

    @property
    def weight(self) -> int:
        """How narrow the rule is: how many of architecture, release and work queue it sets. ``diag`` does not count."""
        return sum(map(bool, (self.architecture, self.release, self.work_queue)))

    def expired(self, now: datetime) -> bool:
        return self.expires_at is not None and now >= self.expires_at


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassificationRow:
    """A row of ERROR_CLASSIFICATION. All columns but the description must be set for the row to match."""

    identity: int
    source: str
    code: int | str
    diag: str
    error_class: str
    active: str = ACTIVE
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorTable:
    """The three tables. The order of rows is the order of the document."""

    rules: tuple[ErrorRule, ...] = ()
    actions: tuple[ActionRow, ...] = ACTIONS
    classification: tuple[ClassificationRow, ...] = ()


class ReadingMode(StrEnum):
    """How rules are interpreted: as an operator would expect, or as in PanDA today, including its defects."""

    STRICT = "strict"
    COMPATIBLE = "compatible"
