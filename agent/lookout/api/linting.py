"""The linter over HTTP: the same problems, with codes and positions, that ``failctl lint`` prints."""

from typing import Final

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from agent.documents.problem import Problem as Finding
from agent.documents.problem import Severity, errors_of
from agent.lookout.api.problems import Fault, Submitted, first_of
from agent.manifests.lint import lint

LONGEST: Final = 256 << 10
"""Characters of a text: what takes seconds to lint would keep others waiting."""

MOST: Final = 1_000
"""Findings of one answer."""

_NAME: Final = "text"

router: Final = APIRouter(tags=["documents"])


class Document(Submitted):
    """What a person wrote."""

    model_config = ConfigDict(strict=True)

    text: str = Field(max_length=LONGEST, description="One or several YAML documents, of any kind that failctl knows.")
    name: str = Field(default=_NAME, max_length=200, description="What the findings call it, such as its file's name.")


class FindingBody(BaseModel):
    """One thing that is wrong, or works but possibly not as intended."""

    code: str = Field(description="A name of this kind of finding that does not change.")
    severity: Severity = Field(description="A document with an error cannot be used.")
    message: str
    hint: str = Field(description="What to do; may be empty.")
    file: str = Field(description="The name that the request gave.")
    line: int = Field(description="From 1.")
    column: int = Field(description="In characters, from 1.")
    length: int = Field(description="How many characters of the line are meant.")
    path: str = Field(description="The field, such as rules[1].onExitCodes; empty for the whole document.")
    excerpt: str = Field(description="The line as it was written.")


class Findings(BaseModel):
    """Findings, in the order of the text."""

    valid: bool = Field(description="Whether no finding is an error.")
    findings: list[FindingBody] = Field(description=f"The first {MOST:,}.")
    left_out: int = Field(serialization_alias="leftOut", description="How many more there are.")


@router.post("/lint", operation_id="lint_text", summary="Lint a text")
def lint_text(document: Document) -> Findings:
    """Find everything that is wrong in a text: error categories, retry policies, queues, error rules, Jobs, JobSets."""
    found = lint(document.text, file=document.name)
    shown = [_body(finding) for finding in found[:MOST]]
    return Findings(valid=not errors_of(found), findings=shown, left_out=len(found) - len(shown))


def _body(finding: Finding) -> FindingBody:
    return FindingBody(**{name: getattr(finding, name) for name in FindingBody.model_fields})


def faults_in(text: str, *, path: str) -> list[Fault]:
    """The first errors in a text that is a field of a request, with their places in it."""
    return first_of(fault_of(finding, path=path) for finding in errors_of(lint(text, file=path)))


def fault_of(finding: Finding, *, path: str) -> Fault:
    """A finding as a fault of the field that has the text."""
    return Fault(
        code=finding.code,
        path=path,
        line=finding.line,
        column=finding.column,
        message=finding.message,
        fix=finding.hint,
    )
