"""Trying rules on stored failures over HTTP."""

import time
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from threading import Lock
from typing import Annotated, Final

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from agent.core.classify.classifier import Classifier, compile_rules
from agent.core.classify.compiler import RulesError
from agent.documents.problem import ManifestError
from agent.lookout.api.backend import Given, Json, Seen
from agent.lookout.api.linting import LONGEST, fault_of
from agent.lookout.api.problems import Fault, Problem, Submitted, first_of
from agent.lookout.query.columns import FAILURES
from agent.lookout.query.question import read_question
from agent.lookout.query.reader import Reader
from agent.lookout.query.trial import MOST, SECONDS, USUAL, TrialResult, try_rules
from agent.patterns import BacktrackingSearches
from agent.process.clock import system_time
from agent.rule_files import read_text

router: Final = APIRouter(tags=["rules"])

_ONE_AT_A_TIME: Final = Lock()
"""A trial keeps a processor busy, which what stores new failures needs too."""

MOST_STEPS: Final = 150_000
"""Steps of all patterns of a text. Those of 256 KiB of the rules that ship are fewer; a pattern such as
``a[ab]{0,900}x`` has thousands, and 300 of them take a minute for the logs of one failure."""

_LEAST_READING: Final = 0.5
"""Seconds that the database has for a trial whose rules took all of its time to compile."""

Words = Annotated[str, Field(max_length=1_000)]


class RuleTrial(Submitted):
    """Rules, and the failures on which they are tried."""

    model_config = ConfigDict(strict=True)

    text: str = Field(max_length=LONGEST, description="A rule file. It may list packs that ship, but no files.")
    filter: dict[Words, list[Words]] = Field(
        default={},
        description="Which failures, as the parameters of `GET /failures` say it: "
        '`{"queue": ["ml"], "since": ["24h"], "keyLine.contains": ["CUDA"]}`. Without it, the latest of all.',
    )
    most: int = Field(default=USUAL, ge=1, le=MOST, description="On how many failures at most.")


@router.post(
    "/rules/trial",
    operation_id="try_rules",
    summary="Try rules on stored failures",
    response_model=TrialResult,
    description=f"Say what the latest failures would be called by other rules. It stops after {SECONDS:g} seconds, and "
    "says on how many failures they were tried.",
)
def try_on_stored(trial: RuleTrial, backend: Given, sight: Seen) -> Json:
    """Try rules on stored failures."""
    items = [(name, value) for name, values in trial.filter.items() for value in values]
    question = read_question(FAILURES, items, now=system_time())
    if not _ONE_AT_A_TIME.acquire(blocking=False):
        detail = f"rules are being tried for somebody else; ask again in {SECONDS:g} s"
        headers = {"Retry-After": f"{SECONDS:g}"}
        raise Problem(HTTPStatus.TOO_MANY_REQUESTS, "trial-in-progress", detail, headers=headers)
    try:
        until = time.monotonic() + SECONDS
        classifier = _compiled(trial.text)
        left = max(round(until - time.monotonic(), 1), _LEAST_READING)
        with Reader(backend.store, seconds=left).reading(sight) as reading:
            is_over = partial(_has_passed, until)
            return Json(try_rules(classifier, reading, question, most=trial.most, is_over=is_over))
    finally:
        _ONE_AT_A_TIME.release()


def _has_passed(moment: float) -> bool:
    return time.monotonic() > moment


def _compiled(text: str) -> Classifier:
    """The rules of a text. Raises Problem with the places of its errors."""
    searches = BacktrackingSearches(clock=time.monotonic)
    try:
        rules = read_text(text, name="text")
        own = replace(rules, categories=tuple(category for category in rules.categories if not category.pack))
        if (steps := compile_rules(own, searches=searches).steps) > MOST_STEPS:
            raise _invalid([_too_slow(steps)])
        return compile_rules(rules, searches=searches)
    except ManifestError as error:
        raise _invalid(first_of(fault_of(problem, path="text") for problem in error.problems)) from error
    except RulesError as error:
        raise _invalid([Fault(path="text", message=str(error))]) from error


def _too_slow(steps: int) -> Fault:
    message = f"the patterns are compiled to {steps:,} steps, of which {MOST_STEPS:,} can be tried at once"
    return Fault(path="text", message=message, fix="repeat parts of patterns less often, or try fewer rules")


def _invalid(faults: list[Fault]) -> Problem:
    return Problem(HTTPStatus.BAD_REQUEST, "invalid-rules", "; ".join(map(_placed, faults)), faults=faults)


def _placed(fault: Fault) -> str:
    return fault.message if fault.line is None else f"{fault.line}:{fault.column}: {fault.message}"
