"""Error tables and failures, drawn so that rules often meet."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from agent.core.error_table.compiled import CompiledTable, compile_table
from agent.core.error_table.engine import TableOutcome, ask
from agent.core.error_table.given import Attributes, JobError
from agent.core.error_table.row import LIMITING, ActionKind, ErrorRule, ErrorTable, ReadingMode

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
ARCHITECTURES = ("amd64", "arm64")
RELEASES = ("24.0", "25.0")
QUEUES = (10, 11)
SOURCES = ("exeErrorCode", "pilotErrorCode")
DIAGS = (None, ".*boom", "boom", "never", "*bad(", "(?=b)")

ATTRIBUTES = st.builds(
    Attributes,
    architecture=st.sampled_from((None, *ARCHITECTURES)),
    release=st.sampled_from((None, *RELEASES)),
    work_queue=st.sampled_from((None, *QUEUES)),
)

ERRORS = st.lists(
    st.builds(
        JobError,
        source=st.sampled_from(SOURCES),
        code=st.sampled_from((65, 1305)),
        diag=st.sampled_from(("boom", "a\nboom", "", None)),
    ),
    min_size=1,
    max_size=3,
)


EITHER = st.sampled_from("YN")
ANY_ACTION: st.SearchStrategy[str] = st.sampled_from(ActionKind)


def limits(active: st.SearchStrategy[str] = EITHER) -> st.SearchStrategy[ErrorRule]:
    """Rules that limit, some of them without a limit."""
    return rules(st.sampled_from(sorted(LIMITING)), active)


def rules(
    action: st.SearchStrategy[str] = ANY_ACTION, active: st.SearchStrategy[str] = EITHER
) -> st.SearchStrategy[ErrorRule]:
    """Rules with numbers of their own, given when a table is made of them."""
    return st.builds(
        ErrorRule,
        identity=st.just(0),
        source=st.sampled_from(SOURCES),
        code=st.sampled_from((65, 1305)),
        action=action,
        parameters=st.sampled_from(
            (None, "bad", "maxAttempt=9", "maxAttempt=10", *(f"maxAttempt={n}" for n in range(5)))
        ),
        architecture=st.sampled_from((None, None, *ARCHITECTURES)),
        release=st.sampled_from((None, None, *RELEASES)),
        work_queue=st.sampled_from((None, None, *QUEUES)),
        expires_at=st.sampled_from((None, None, NOW, NOW + timedelta(seconds=1))),
        active=active,
        diag=st.sampled_from(DIAGS),
    )


def table_of(found: list[ErrorRule]) -> ErrorTable:
    """The table of these rules, numbered in their order."""
    return ErrorTable(rules=tuple(numbered(found)))


def numbered(found: list[ErrorRule]) -> list[ErrorRule]:
    return [replace(rule, identity=number) for number, rule in enumerate(found, start=1)]


def strictly(table: ErrorTable | CompiledTable, errors: list[JobError], attributes: Attributes) -> TableOutcome:
    """What a table says in strict mode."""
    ready = table if isinstance(table, CompiledTable) else compile_table(table)
    return ask(ready, errors, attributes=attributes, now=NOW, mode=ReadingMode.STRICT)


def limit_of(said: TableOutcome) -> int | None:
    """How many runs in all an answer allows: 0 is no more than were made; ``None`` is no limit."""
    found = [0 if effect.limit is None else effect.limit for effect in said.effects if effect.action in LIMITING]
    return min(found, default=None)
