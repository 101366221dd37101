"""PanDA's cases of its rule engine: rows, errors and a job in, effects and log out."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from agent.core.error_table.compiled import CompiledTable, compile_table
from agent.core.error_table.engine import CpuTimeAnswer, TableOutcome, ask
from agent.core.error_table.given import NULL, Attributes, JobError
from agent.core.error_table.outcome import Effect, Logged, Stage
from agent.core.error_table.parameters import EXCLUDED_RULES, STEPS, split
from agent.core.error_table.row import ACTIONS, ActionKind, ActionRow, ErrorRule, ErrorTable, ReadingMode
from tests.cases.adapters.panda_patterns import SEARCHES

Words = Mapping[str, Any]

JOB: Words = {
    "cmtConfig": "x86_64-el9-gcc13-opt",
    "AtlasRelease": "Atlas-25.0.1",
    "workQueue_ID": 10,
    "attemptNr": 1,
    "minRamCount": 1800,
}
ERROR: Words = {"source": "pilotErrorCode", "code": 1305, "diag": "boom"}
NOW = "2026-01-15 12:00:00"


def tell(given: Words, mode: ReadingMode) -> Words:
    """What the table wants for one job, or for several after one another."""
    table = table_of(given)
    jobs = given.get("sequence")
    if jobs is None:
        said = asked(table, given, given, mode)
        ids = [one.rule.identity for one in said.log]
        first = ids[0] if len(ids) == 1 else ids
        return {**_told(said, given), "action_log_count": len(ids), "action_log_error_id": first}
    steps = []
    for job in jobs:
        said = asked(table, given, job, mode)
        table = said.table
        steps.append(_told(said, job))
    return {"steps": steps, "steps_effects": [step["effects"] for step in steps]}


def table_of(given: Words) -> CompiledTable:
    """The table of a case."""
    inactive = set(given.get("actions_inactive") or ())
    actions = tuple(
        ActionRow(identity=one.identity, name=one.name, active="N" if one.name in inactive else "Y") for one in ACTIONS
    )
    known = {one.name for one in actions}
    strangers = {row["action"] for row in given.get("rules") or ()} - known
    more = tuple(ActionRow(identity=100 + number, name=name) for number, name in enumerate(sorted(strangers)))
    rules = tuple(rule_of(row) for row in given.get("rules") or ())
    return compile_table(ErrorTable(rules=rules, actions=(*actions, *more)), searches=SEARCHES)


def rule_of(row: Words) -> ErrorRule:
    """A row as a rule."""
    expires = row.get("expiration_date")
    return ErrorRule(
        identity=row["id"],
        source=row["error_source"],
        code=row["error_code"],
        action=row["action"],
        parameters=row.get("parameters"),
        architecture=row.get("architecture"),
        release=row.get("release"),
        work_queue=row.get("workqueue_id"),
        expires_at=None if expires is None else moment(expires),
        active=row.get("active", "Y"),
        diag=row.get("error_diag"),
    )


def asked(table: CompiledTable, given: Words, job: Words, mode: ReadingMode) -> TableOutcome:
    """What the table says of one job's errors."""
    stubs = given.get("stubs") or {}
    return ask(
        table,
        [error_of(one) for one in job.get("errors", given.get("errors", [ERROR]))],
        attributes=_attributes({**JOB, **(job.get("job") or {})}),
        now=moment(given.get("now", NOW)),
        mode=mode,
        cpu_time=_cpu_time(stubs),
    )


def error_of(one: Words) -> JobError:
    """An error; a diag that is no text matches nothing, as one that is not there."""
    diag = one.get("diag")
    return JobError(source=one["source"], code=one["code"], diag=diag if isinstance(diag, str) else None)


def _cpu_time(stubs: Words) -> CpuTimeAnswer:
    result = stubs.get("cpu_time_result") or [None]
    if isinstance(result, str):
        return CpuTimeAnswer.RAISED
    return CpuTimeAnswer.SET if result[0] else CpuTimeAnswer.NOTHING


def _attributes(job: Words) -> Attributes:
    """A column of the job without a value reads as the text NULL."""
    read = {key: NULL if value is None else value for key, value in job.items()}
    return Attributes(architecture=read["cmtConfig"], release=read["AtlasRelease"], work_queue=read["workQueue_ID"])


def moment(text: str) -> datetime:
    """A time without zone, of the database's clock."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _told(said: TableOutcome, case: Words) -> Words:
    job = {key: NULL if value is None else value for key, value in {**JOB, **(case.get("job") or {})}.items()}
    told: dict[str, Any] = {
        "effects": list(_effects(said, job)),
        "action_log": [_logged(one) for one in said.log],
        "error_log": [fault.value for fault in said.faults],
    }
    return told if said.raised is None else {**told, "raised": said.raised}


def _effects(said: TableOutcome, job: Words) -> Iterator[Words]:
    for effect in said.effects:
        yield effect_words(effect, job)


def effect_words(effect: Effect, job: Words) -> Words:
    """An effect as the call that PanDA makes."""
    given = split(effect.rule.parameters)
    match effect.action:
        case ActionKind.NO_RETRY:
            return {"call": "set_no_retry"}
        case ActionKind.LIMIT_RETRY:
            return {"call": "set_max_attempt", "maxAttempt": effect.limit}
        case ActionKind.INCREASE_MEMORY:
            return {"call": "increase_ram_job", "job_ram": job["minRamCount"]}
        case ActionKind.INCREASE_MEMORY_XTIMES:
            ram, attempt = job["minRamCount"], job["attemptNr"]
            return {"call": "increase_ram_job_xtimes", "job_ram": ram, "attemptNr": attempt}
        case ActionKind.INCREASE_CPUTIME:
            first = effect.stage is Stage.FROM_FAILED_JOB
            return {"call": "set_cpu_time_from_failed_job" if first else "request_task_parameter_recalculation"}
        case ActionKind.REDUCE_INPUT_PER_JOB:
            return {
                "call": "reduce_input_per_job",
                "attemptNr": job["attemptNr"],
                "excluded_rules": given.get(EXCLUDED_RULES),
                "steps": given.get(STEPS),
            }


def _logged(one: Logged) -> Words:
    told: dict[str, Any] = {
        "action": one.action.value,
        "active": one.active,
        "error_id": one.rule.identity,
        "error_source": one.rule.source,
        "error_code": one.rule.code,
    }
    if one.limit is not None:
        told["maxAttempt"] = one.limit
    if one.stage is not None:
        told["stage"] = one.stage.value
    return told
