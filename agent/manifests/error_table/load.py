"""The error table: a document, or rows of SQL or CSV, checked as a whole and turned into the table that core asks."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from agent.core.error_table.codes import ErrorCodes
from agent.core.error_table.row import ACTIONS, ActionRow, ClassificationRow, ErrorRule, ErrorTable, ReadingMode
from agent.documents.checked import Checked, Finder, check_text, problems_of, with_faults
from agent.documents.node import List, Mapping, MappingEntry, Node, Span, find, size, text_at
from agent.documents.problem import Problem, errors_of
from agent.documents.shape import check
from agent.documents.source import Fault, Source, decode
from agent.manifests.error_table.columns import as_document
from agent.manifests.error_table.csv import read_csv
from agent.manifests.error_table.rows import CheckContext, row_faults, row_findings
from agent.manifests.error_table.shapes import (
    TABLE_KIND,
    ErrorActionShape,
    ErrorClassShape,
    ErrorRuleDocumentShape,
    ErrorRuleShape,
    ErrorTableShape,
)
from agent.manifests.error_table.sql import read_sql
from agent.manifests.error_table.write import Format

STRICT = CheckContext()


def load_error_table(
    text: str | bytes, *, file: str, form: Format = Format.YAML, mode: ReadingMode = ReadingMode.STRICT
) -> ErrorTable:
    """Return the table of a file. Raises ``ManifestError`` with every fault at once.

    Compatible mode accepts rows that strict mode refuses and that upstream ignores.
    """
    return check_table(text, file=file, form=form, context=CheckContext(mode=mode)).value_or_raise()


def lint_error_table(
    text: str | bytes,
    *,
    file: str,
    form: Format = Format.YAML,
    mode: ReadingMode = ReadingMode.STRICT,
    codes: ErrorCodes | None = None,
    now: datetime | None = None,
) -> tuple[Problem, ...]:
    """Return every error, or, if there is none, every finding. ``codes`` say which codes each source emits."""
    return check_table(text, file=file, form=form, context=CheckContext(mode=mode, codes=codes, now=now)).problems


def is_error_table(root: Node) -> bool:
    """Return whether a document says that it is an error table."""
    return text_at(find(root, ("kind",))) == TABLE_KIND


def check_table(text: str | bytes, *, file: str, form: Format, context: CheckContext = STRICT) -> Checked[ErrorTable]:
    if form in (Format.YAML, Format.JSON):
        return check_text(text, lambda root, source: check_error_table(root, source, context=context), file=file)
    source, unreadable = decode(text, file=file)
    if unreadable:
        return Checked(value=None, problems=unreadable)
    rows, faults = read_sql(source) if form is Format.SQL else read_csv(source)
    if not rows and not faults:
        message = "the file has no rows"
        faults = [Fault(code="no-rows", span=Span(line=1, column=1), message=message)]
    if faults:
        return with_faults(faults, source)
    return check_error_table(as_document(rows), source, context=context)


def check_error_table(root: Node, source: Source, *, context: CheckContext = STRICT) -> Checked[ErrorTable]:
    shape, finder = check(ErrorTableShape, root), Finder(root=root)
    if shape.value is None:
        return with_faults(shape.faults, source)
    table = _table(shape.value)
    faults = [*_repeated(table, finder), *row_faults(table, finder, mode=context.mode)]
    found = problems_of([*faults, *row_findings(table, finder, context=context)], source)
    return Checked(value=None if errors_of(found) else table, problems=found)


def check_error_rule(root: Node, source: Source, *, context: CheckContext = STRICT) -> Checked[ErrorRule]:
    """Check a document of one rule, as the table that has only this rule."""
    shape = check(ErrorRuleDocumentShape, root)
    if shape.value is None:
        return with_faults(shape.faults, source)
    table = _table(ErrorTableShape(apiVersion="failure-agent.dev/v1", kind="ErrorTable", rules=[shape.value.spec]))
    finder = Finder(root=_as_table(root))
    faults = [*row_faults(table, finder, mode=context.mode), *row_findings(table, finder, context=context)]
    found = problems_of((replace(fault, path=fault.path.replace("rules[0]", "spec", 1)) for fault in faults), source)
    return Checked(value=None if errors_of(found) else table.rules[0], problems=found)


def _as_table(root: Node) -> Node:
    """The tree of a table with the document's row, so that its problems have its places."""
    row = find(root, ("spec",))
    if row is None:
        return root
    rules = List(items=(row,), span=row.span, size=1 + size(row))
    entry = MappingEntry(key="rules", span=row.span, value=rules)
    return Mapping(entries=(entry,), span=root.span, size=1 + rules.size)


def _repeated(table: ErrorTable, finder: Finder) -> Iterator[Fault]:
    """Yield the rows whose number an earlier row has, because people find a rule by its number."""
    numbered: Sequence[tuple[str, str, list[int]]] = (
        ("actions", "RetryAction_ID", [row.identity for row in table.actions] if table.actions != ACTIONS else []),
        ("rules", "RetryError_ID", [row.identity for row in table.rules]),
        ("classification", "ID", [row.identity for row in table.classification]),
    )
    for part, column, identities in numbered:
        seen: set[int] = set()
        for number, identity in enumerate(identities):
            if identity in seen:
                found = finder.finding(
                    "duplicate-id", f"the number {identity} is used by an earlier row", at=(part, number, column)
                )
                yield Fault(code=found.code, span=found.span, path=found.path, message=found.message)
            seen.add(identity)


def _table(shape: ErrorTableShape) -> ErrorTable:
    actions = ACTIONS if shape.actions is None else tuple(_action(row) for row in shape.actions)
    names = {action.identity: action.name for action in actions}
    return ErrorTable(
        rules=tuple(_rule(row, names) for row in shape.rules or ()),
        actions=actions,
        classification=tuple(_class(row) for row in shape.classification or ()),
    )


def _action(row: ErrorActionShape) -> ActionRow:
    return ActionRow(
        identity=row.RetryAction_ID,
        name=row.Retry_Action,
        description=row.Retry_Description or None,
        active=row.Active,
    )


def _rule(row: ErrorRuleShape, names: dict[int, str]) -> ErrorRule:
    action = row.RetryAction if isinstance(row.RetryAction, str) else names.get(row.RetryAction, str(row.RetryAction))
    return ErrorRule(
        identity=row.RetryError_ID,
        source=row.ErrorSource,
        code=row.ErrorCode,
        action=action,
        parameters=row.Parameters or None,
        architecture=row.Architecture or None,
        release=row.Release or None,
        work_queue=row.WorkQueue_ID or None,
        description=row.Description or None,
        expires_at=row.Expiration_Date,
        active=row.Active,
        diag=row.ErrorDiag or None,
    )


def _class(row: ErrorClassShape) -> ClassificationRow:
    return ClassificationRow(
        identity=row.ID,
        source=row.Error_Source,
        code=row.Error_Code,
        diag=row.Error_Diag,
        error_class=row.Error_Class,
        active=row.Active,
        description=row.Description or None,
    )
