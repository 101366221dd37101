"""Error codes: the errors of each failure, and the codes of each source."""

from collections.abc import Iterator

from agent.core.error_table.codes import ErrorCodes, ErrorOf
from agent.core.error_table.expression import AttributeExpressions
from agent.documents.checked import Checked, Finder, check_text, problems_of, with_faults
from agent.documents.node import Node, find, text_at
from agent.documents.problem import Problem, nearest_or_all, quote
from agent.documents.shape import check
from agent.documents.source import Fault, Source
from agent.manifests.error_table.shapes import CODES_KIND, AttributesShape, ErrorCodesShape, ErrorOfShape, SourceShape
from agent.manifests.matchers.facts import as_int32_set


def load_error_codes(text: str | bytes, *, file: str) -> ErrorCodes:
    """Return the error codes of a file. Raises ``ManifestError`` with every fault at once."""
    return check_text(text, check_error_codes, file=file).value_or_raise()


def lint_error_codes(text: str | bytes, *, file: str) -> tuple[Problem, ...]:
    """Return every error, or, if there is none, every finding."""
    return check_text(text, check_error_codes, file=file).problems


def is_error_codes(root: Node) -> bool:
    """Return whether a document says that it holds error codes."""
    return text_at(find(root, ("kind",))) == CODES_KIND


def check_error_codes(root: Node, source: Source) -> Checked[ErrorCodes]:
    shape = check(ErrorCodesShape, root)
    if shape.value is None:
        return with_faults(shape.faults, source)
    codes = ErrorCodes(
        errors=tuple(_line(line) for line in shape.value.errors or ()),
        sources={source.name: _codes(source) for source in shape.value.sources or ()},
        attributes=_attributes(shape.value.attributes),
    )
    return Checked(value=codes, problems=problems_of(_findings(codes, Finder(root=root)), source))


def _findings(codes: ErrorCodes, finder: Finder) -> Iterator[Fault]:
    """Yield the lines whose source or code is not listed under ``sources``."""
    for number, line in enumerate(codes.errors):
        if line.source not in codes.sources:
            hint = nearest_or_all(line.source, [*codes.sources])
            message = f"{quote(line.source)} is not among `sources`"
            yield finder.finding("unknown-source", message, at=("errors", number, "source"), hint=hint)
        elif isinstance(line.code, int) and not codes.emits(line.source, line.code):
            message = f"{line.code} is not among the codes of {line.source}"
            yield finder.finding("unknown-code", message, at=("errors", number, "code"))


def _codes(shape: SourceShape) -> dict[int, str] | None:
    return None if shape.anyCode else {code.code: code.name for code in shape.codes or ()}


def _line(shape: ErrorOfShape) -> ErrorOf:
    return ErrorOf(
        source=shape.source,
        code=shape.code,
        diag=shape.diag,
        on_exit_codes=None if shape.onExitCodes is None else as_int32_set(shape.onExitCodes),
        on_signals=_set(shape.onSignals),
        on_reasons=None if shape.onReasons is None else frozenset(shape.onReasons),
        on_categories=None if shape.onCategories is None else frozenset(shape.onCategories),
        on_occurrences=None if shape.onOccurrences is None else frozenset(shape.onOccurrences),
    )


def _set(numbers: list[int] | None) -> frozenset[int] | None:
    return None if numbers is None else frozenset(numbers)


def _attributes(shape: AttributesShape | None) -> AttributeExpressions:
    default = AttributeExpressions()
    if shape is None:
        return default
    return AttributeExpressions(
        architecture=shape.architecture or default.architecture,
        release=shape.release or default.release,
        work_queue=shape.workQueue or default.work_queue,
    )
