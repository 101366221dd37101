"""What came of requests: complaints, a line or a document for each, and the exit code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TextIO

from agent.api.v1 import job_pb2 as pb
from agent.console.errors import report_error
from agent.console.exits import Exit
from agent.console.listing import write_documents
from agent.console.options import ListForm
from agent.console.terminal import visible
from agent.ctl.submit.wait import state_word

_OUTCOMES: Final = {
    pb.REQUEST_OUTCOME_DONE: "done",
    pb.REQUEST_OUTCOME_UNCHANGED: "unchanged",
    pb.REQUEST_OUTCOME_REFUSED: "refused",
    pb.REQUEST_OUTCOME_NOT_FOUND: "not-found",
}
_FINE: Final = frozenset({pb.REQUEST_OUTCOME_DONE, pb.REQUEST_OUTCOME_UNCHANGED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer of the scheduler about one job or run.

    ``about`` names it in a complaint, ``line`` says what came of the request unless it was refused. ``ids`` are the
    first fields of its document.
    """

    result: pb.RequestResult | pb.RunRequestResult
    about: str
    line: str
    ids: Mapping[str, str]

    @property
    def is_fine(self) -> bool:
        return self.result.outcome in _FINE


def show_answers(answers: Sequence[Answer], *, output: ListForm, name: str, out: TextIO, err: TextIO) -> Exit:
    """Print all answers, and complain of refusals; ``name`` is the id that ``-o name`` prints."""
    for answer in answers:
        if not answer.is_fine:
            report_error(err, f"{answer.about}: {answer.result.message}")
    if output in ("table", "wide"):
        out.writelines(f"{answer.line}\n" for answer in answers if answer.is_fine)
    else:
        write_documents(map(_document, answers), output, name=lambda document: str(document[name]), out=out)
    return Exit.FINE if all(answer.is_fine for answer in answers) else Exit.FINDING


def standing(result: pb.RequestResult | pb.RunRequestResult) -> str:
    """The state of the job after the request, and what it waits for."""
    wait = f"; {visible(result.wait)}" if result.wait else ""
    return f"{state_word(result.state)}{wait}"


def _document(answer: Answer) -> Mapping[str, Any]:
    result = answer.result
    return {
        **answer.ids,
        "outcome": _OUTCOMES.get(result.outcome, "unknown"),
        "state": state_word(result.state) if result.state else None,
        "message": result.message,
        "wait": result.wait,
    }
