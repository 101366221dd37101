"""What is wrong with rows of an error table: what strict mode refuses although upstream accepts it, and findings."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from agent.core.error_table.codes import ErrorCodes
from agent.core.error_table.diag import unfit_for_re2
from agent.core.error_table.dialect import python_fault
from agent.core.error_table.parameters import (
    EXCLUDED_RULES,
    MAX_ATTEMPT,
    STEPS,
    WIKI_MAX_ATTEMPT,
    limit_of,
    split,
    steps_of,
)
from agent.core.error_table.row import ActionKind, ErrorRule, ErrorTable, ReadingMode
from agent.core.error_table.split_rule import TAGS
from agent.documents.checked import Finder, Steps
from agent.documents.problem import Severity, nearest, nearest_or_all, quote
from agent.documents.source import Fault

_KINDS = tuple(kind.value for kind in ActionKind)
_KNOWN: dict[str, tuple[str, ...]] = {
    ActionKind.LIMIT_RETRY: (MAX_ATTEMPT, WIKI_MAX_ATTEMPT),
    ActionKind.REDUCE_INPUT_PER_JOB: (STEPS, EXCLUDED_RULES),
}
_NEVER_ASKED_UPSTREAM = frozenset({"supErrorCode", "brokerageErrorCode"})
_CLASSES_WITH_EFFECT = "system"


class CheckContext(NamedTuple):
    """What a table is checked for: the mode it is read in, the codes that exist and the time, if known."""

    mode: ReadingMode = ReadingMode.STRICT
    codes: ErrorCodes | None = None
    now: datetime | None = None


def row_faults(table: ErrorTable, finder: Finder, *, mode: ReadingMode) -> Iterator[Fault]:
    """Yield what makes a row useless: errors in strict mode, findings in compatible mode."""
    severity = Severity.ERROR if mode is ReadingMode.STRICT else Severity.WARNING
    actions = [action.name for action in table.actions]
    for number, action in enumerate(table.actions):
        at: Steps = ("actions", number)
        if finder.has(at):
            yield from _with(severity, _action(action.name, (*at, "Retry_Action"), finder, _KINDS))
            yield from _with(severity, _active(action.active, finder, at))
    for number, rule in enumerate(table.rules):
        at = ("rules", number)
        yield from _with(severity, _action(rule.action, (*at, "RetryAction"), finder, actions))
        yield from _with(severity, _active(rule.active, finder, at))
        yield from _with(severity, _parameters(rule, finder, at))
        yield from _with(severity, _pattern(rule.diag, (*at, "ErrorDiag"), finder))
    for number, row in enumerate(table.classification):
        at = ("classification", number)
        yield from _with(severity, _active(row.active, finder, at))
        yield from _with(severity, _pattern(row.diag, (*at, "Error_Diag"), finder))


def row_findings(table: ErrorTable, finder: Finder, *, context: CheckContext) -> Iterator[Fault]:
    """Yield what works, but possibly not as intended."""
    for number, rule in enumerate(table.rules):
        at: Steps = ("rules", number)
        yield from _parameter_names(rule, finder, at)
        yield from _backtracking(rule.diag, (*at, "ErrorDiag"), finder)
        yield from _codes_in_use(rule.source, rule.code, finder, ((*at, "ErrorSource"), (*at, "ErrorCode")), context)
        if context.now is not None and rule.expired(context.now):
            yield finder.finding("expired", "the rule has expired and does nothing", at=(*at, "Expiration_Date"))
        if context.mode is ReadingMode.COMPATIBLE and rule.source in _NEVER_ASKED_UPSTREAM:
            message = f"upstream never evaluates rules for {rule.source}; failure-agent does"
            yield finder.finding("never-asked-upstream", message, at=(*at, "ErrorSource"))
    yield from _repeated(table.rules, finder)
    for number, row in enumerate(table.classification):
        at = ("classification", number)
        yield from _backtracking(row.diag, (*at, "Error_Diag"), finder)
        yield from _codes_in_use(row.source, row.code, finder, ((*at, "Error_Source"), (*at, "Error_Code")), context)
        folded = row.error_class.strip().casefold()
        if folded == _CLASSES_WITH_EFFECT and row.error_class != _CLASSES_WITH_EFFECT:
            message, hint = "only the exact class `system` has an effect", "write system"
            yield finder.finding("class-without-effect", message, at=(*at, "Error_Class"), hint=hint)


def _with(severity: Severity, faults: Iterator[Fault]) -> Iterator[Fault]:
    return (replace(fault, severity=severity) for fault in faults)


def _action(name: str, at: Steps, finder: Finder, known: Sequence[str]) -> Iterator[Fault]:
    if name not in known:
        message = f"{quote(name)} is not an action; a rule with it would never be evaluated"
        yield finder.finding("unknown-action", message, at=at, hint=nearest_or_all(name, known))


def _active(word: str, finder: Finder, at: Steps) -> Iterator[Fault]:
    if word not in ("Y", "N"):
        message = f"{quote(word)} is neither Y nor N; a row that is not Y only logs"
        yield finder.finding("invalid-active", message, at=(*at, "Active"), hint=nearest(word, ("Y", "N")))


def _parameters(rule: ErrorRule, finder: Finder, at: Steps) -> Iterator[Fault]:
    given, place = split(rule.parameters), (*at, "Parameters")
    if rule.parameters and not given:
        message = "expected key1=value1&key2=value2; one invalid pair makes all of them ineffective"
        yield finder.finding("invalid-parameters", message, at=place)
    elif rule.action == ActionKind.LIMIT_RETRY and limit_of(rule) is None:
        message = "a limit_retry needs maxAttempt, the total number of runs, a whole number not below 0"
        hint = next(filter(None, (nearest(key, (MAX_ATTEMPT,)) for key in given)), "write it like maxAttempt=3")
        yield finder.finding("no-limit", message, at=place, hint=hint)
    elif rule.action == ActionKind.REDUCE_INPUT_PER_JOB:
        yield from _reducing(given.get(STEPS), given.get(EXCLUDED_RULES), finder, place)


def _reducing(steps: str | None, excluded: str | None, finder: Finder, place: Steps) -> Iterator[Fault]:
    try:
        steps_of(steps)
    except ValueError:
        message = f"steps={steps or ''} are not three whole numbers"
        yield finder.finding("invalid-steps", message, at=place, hint="write it like steps=2,4,7")
    for name in excluded.split(",") if excluded else ():
        if name not in TAGS:
            message = f"excluded_rules names {quote(name)}, which is not a rule of a task"
            yield finder.finding("unknown-split-rule", message, at=place, hint=nearest_or_all(name, [*TAGS]))


def _pattern(pattern: str | None, at: Steps, finder: Finder) -> Iterator[Fault]:
    fault = python_fault(pattern) if pattern else ""
    if fault:
        yield finder.finding("invalid-pattern", f"not a valid Python pattern: {fault}", at=at)


def _parameter_names(rule: ErrorRule, finder: Finder, at: Steps) -> Iterator[Fault]:
    given, place = split(rule.parameters), (*at, "Parameters")
    known = _KNOWN.get(rule.action, ())
    for key in given:
        if key not in known:
            message = f"{rule.action} does not read the parameter {quote(key)}"
            yield finder.finding("unknown-parameter", message, at=place, hint=nearest(key, known))
    if rule.action != ActionKind.LIMIT_RETRY:
        return
    if WIKI_MAX_ATTEMPT in given:
        message = "maxAttempts is the spelling of the seed; PanDA does not know it, strict mode accepts it"
        yield finder.finding("seeds-spelling", message, at=place, hint="write maxAttempt")
    if (rule.parameters or "").count(f"{MAX_ATTEMPT}=") > 1:
        yield finder.finding("repeated-parameter", "maxAttempt is given twice; the last one counts", at=place)
    if limit_of(rule) == 0:
        message = "every job makes at least one run, so 0 means 1: no retry"
        yield finder.finding("limit-zero", message, at=place, hint="write the action no_retry")


def _backtracking(pattern: str | None, at: Steps, finder: Finder) -> Iterator[Fault]:
    unfit = unfit_for_re2(pattern) if pattern and not python_fault(pattern) else ""
    if unfit:
        message = f"RE2 cannot run this pattern ({unfit}); a backtracking engine runs it, with a time limit"
        yield finder.finding("backtracking-pattern", message, at=at)


def _codes_in_use(
    source: str, code: int | str, finder: Finder, at: tuple[Steps, Steps], context: CheckContext
) -> Iterator[Fault]:
    codes, (at_source, at_code) = context.codes, at
    if codes is None or not isinstance(code, int):
        return
    if source not in codes.sources:
        message = f"no source is called {quote(source)}: the rule is never evaluated"
        hint = nearest_or_all(source, [*codes.sources])
        yield finder.finding("unknown-source", message, at=at_source, hint=hint)
    elif not codes.emits(source, code):
        message = f"nobody emits {source} {code}: the rule is never evaluated"
        yield finder.finding(
            "code-nobody-emits", message, at=at_code, hint="use a code that the error codes list for this source"
        )


def _repeated(rules: Sequence[ErrorRule], finder: Finder) -> Iterator[Fault]:
    seen: dict[tuple[object, ...], ErrorRule] = {}
    for number, rule in enumerate(rules):
        scope = (rule.architecture, rule.release, rule.work_queue)
        key = (rule.source, rule.code, rule.action, rule.parameters, *scope, rule.diag, rule.active, rule.expires_at)
        first = seen.setdefault(key, rule)
        if first is not rule:
            message = f"the same as rule {first.identity}"
            yield finder.finding("duplicate-rule", message, at=("rules", number), hint="delete one of them")
