"""The shapes of an error table and of error codes.

Column names are those of PanDA's wiki (twiki.cern.ch, PanDA/PanDARetrialModule) and of PanDAWMS/panda-database.
"""

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, Strict, WithJsonSchema

from agent.core.error_table.codes import CodeFrom, DiagFrom
from agent.core.error_table.expression import FORMS, Expression, ExpressionError, parse_expression
from agent.core.failure import Occurrence
from agent.documents.problem import nearest_or_all, quote
from agent.documents.shape import Shape, refuse
from agent.manifests.matchers.facts import Signal

API_VERSION = "failure-agent.dev/v1"
TABLE_KIND = "ErrorTable"
CODES_KIND = "ErrorCodes"


def _read_time(written: object) -> datetime:
    """Read a time; without a zone it is UTC, the zone assumed for the database."""
    if not isinstance(written, str):
        raise refuse(
            "wrong-type", "expected a time", hint='write it like "2026-01-15 12:00:00", UTC unless it names a zone'
        )
    try:
        moment = datetime.fromisoformat(written)
    except ValueError as error:
        hint = 'write it like "2026-01-15 12:00:00", UTC unless it names a zone'
        raise refuse("invalid-time", f"{quote(written)} is not a time", hint=hint) from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _read_expression(written: object) -> Expression:
    try:
        return parse_expression(written if isinstance(written, str) else "")
    except ExpressionError as error:
        raise refuse(
            "invalid-expression", "expected where to read it from", hint=f"write one of {', '.join(FORMS)}"
        ) from error


def _read_code(written: object) -> int | CodeFrom:
    if isinstance(written, int) and not isinstance(written, bool):
        return written
    words = [place.value for place in CodeFrom]
    if written in words:
        return CodeFrom(written)
    hint = nearest_or_all(written, words) if isinstance(written, str) else f"a number, or one of {', '.join(words)}"
    raise refuse("invalid-code", "expected a code", hint=hint)


def _read_action(written: object) -> object:
    if isinstance(written, bool) or not isinstance(written, str | int):
        raise refuse(
            "wrong-type", "expected the name of an action, or its number", hint="write it like limit_retry, or 3"
        )
    return written


def _not_empty(text: str) -> str:
    if not text:
        raise refuse("empty", "the text is empty")
    return text


Time = Annotated[
    datetime,
    BeforeValidator(_read_time),
    WithJsonSchema({"type": "string", "examples": ["2026-01-15 12:00:00"]}),
]
Filled = Annotated[str, AfterValidator(_not_empty)]
ReadFrom = Annotated[
    Expression, BeforeValidator(_read_expression), WithJsonSchema({"type": "string", "examples": list(FORMS)})
]
Number = Annotated[int, Field(ge=0, lt=10**10)]
Code = Annotated[int, Field(gt=-(10**10), lt=10**10)]


class ErrorRuleShape(Shape):
    """A row of RETRYERRORS. ``RetryAction`` is the name of an action, or its number in the actions table."""

    RetryError_ID: Number
    ErrorSource: Filled
    ErrorCode: Code
    RetryAction: Annotated[str | int, BeforeValidator(_read_action)]
    Parameters: str | None = None
    Architecture: str | None = None
    Release: str | None = None
    WorkQueue_ID: Number | None = None
    Description: str | None = None
    Expiration_Date: Time | None = None
    Active: str = "Y"
    ErrorDiag: str | None = None


class ErrorRuleDocumentShape(Shape):
    """One rule as a document of its own. ``RetryAction`` is the name or number of a default action."""

    apiVersion: Literal["failure-agent.dev/v1"]
    kind: Literal["ErrorRule"]
    spec: ErrorRuleShape


class ErrorActionShape(Shape):
    """A row of RETRYACTIONS."""

    RetryAction_ID: Number
    Retry_Action: Filled
    Retry_Description: str | None = None
    Active: str = "Y"


class ErrorClassShape(Shape):
    """A row of ERROR_CLASSIFICATION. ``Reg_Date`` is accepted and not kept."""

    ID: Number
    Error_Source: Filled
    Error_Code: Code
    Error_Diag: Filled
    Error_Class: Filled
    Active: str = "Y"
    Description: str | None = None
    Reg_Date: Time | None = None


class ErrorTableShape(Shape):
    """A whole document. Without ``actions`` the six default ones apply, all active."""

    apiVersion: Literal["failure-agent.dev/v1"]
    kind: Literal["ErrorTable"]
    actions: list[ErrorActionShape] | None = None
    rules: list[ErrorRuleShape] | None = None
    classification: list[ErrorClassShape] | None = None


class AttributesShape(Shape):
    """Where a job's attributes are read from."""

    architecture: ReadFrom | None = None
    release: ReadFrom | None = None
    workQueue: ReadFrom | None = None


class CodeShape(Shape):
    """One code of a source, and what it is called."""

    code: Code
    name: str = ""


class SourceShape(Shape):
    """What a source may have: these codes, or any."""

    name: Filled
    anyCode: bool = False
    codes: list[CodeShape] | None = None


class ErrorOfShape(Shape):
    """One line of the table from failures to errors."""

    source: Filled
    code: Annotated[
        int | CodeFrom,
        BeforeValidator(_read_code),
        WithJsonSchema({"anyOf": [{"type": "integer"}, {"enum": [place.value for place in CodeFrom]}]}),
    ]
    diag: Annotated[DiagFrom, Strict(False)] = DiagFrom.MESSAGE
    onExitCodes: Annotated[list[int], Field(min_length=1)] | None = None
    onSignals: Annotated[list[Signal], Field(min_length=1)] | None = None
    onReasons: Annotated[list[str], Field(min_length=1)] | None = None
    onCategories: Annotated[list[str], Field(min_length=1)] | None = None
    onOccurrences: Annotated[list[Annotated[Occurrence, Strict(False)]], Field(min_length=1)] | None = None


class ErrorCodesShape(Shape):
    apiVersion: Literal["failure-agent.dev/v1"]
    kind: Literal["ErrorCodes"]
    attributes: AttributesShape | None = None
    sources: list[SourceShape] | None = None
    errors: list[ErrorOfShape] | None = None
