"""PanDA's retry cases, each twice: as PanDA is today, and as an operator would expect."""

from collections.abc import Callable, Mapping
from typing import Any

from agent.core.error_table.row import ReadingMode
from tests.cases.adapter import Adapter, expect
from tests.cases.adapters import (
    panda_actions,
    panda_classification,
    panda_hooks,
    panda_rules,
    panda_scenario,
)
from tests.cases.adapters.panda_expected import NOT_COMPARED, ONLY_COMPATIBLE, apart, strictly
from tests.cases.case import Case

Told = Mapping[str, Any]
Tell = Callable[[Mapping[str, Any], ReadingMode], Told]
"""What we make of the input of a case in one mode, in the words of the case."""

TELL: Mapping[str, Tell] = {
    "rule_engine": panda_rules.tell,
    "classification": panda_classification.tell,
    "set_max_attempt": panda_actions.tell_limit,
    "set_no_retry": panda_actions.tell_stop,
    "increase_max_failure": panda_actions.tell_credit,
    "memory_steps": panda_actions.tell_memory,
    "memory_xtimes": panda_actions.tell_memory_factor,
    "reduce_input": panda_actions.tell_input,
    "cpu_time": panda_actions.tell_cpu_time,
    "retry_decision": panda_actions.tell_decision,
    "cache": panda_hooks.tell_cache,
    "hooks": panda_hooks.tell_calls,
    "scenario": panda_scenario.tell,
}


def run(case: Case) -> None:
    """Hold a case to what PanDA does, and then to what is recommended, else again to what PanDA does."""
    tell, given = TELL[case.group], case.data["input"]
    _hold(case.data["expected_upstream"], tell(given, ReadingMode.COMPATIBLE), mode=ReadingMode.COMPATIBLE)
    if case.group not in ONLY_COMPATIBLE and apart(case) not in NOT_COMPARED:
        _hold(strictly(case), tell(given, ReadingMode.STRICT), mode=ReadingMode.STRICT)


def _hold(wanted: Told, told: Told, *, mode: ReadingMode) -> None:
    for key, value in wanted.items():
        expect(value, told.get(key), of=f"{mode}: {key}")


ADAPTER = Adapter(runs=dict.fromkeys(TELL, run), apart=apart)
