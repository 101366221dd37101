"""What strict mode is held to in a case of PanDA's: what is recommended, else what PanDA does."""

from collections.abc import Mapping
from typing import Any

from agent.core.error_table.parameters import limit_of
from tests.cases.adapters.panda_rules import rule_of
from tests.cases.case import Case

Words = Mapping[str, Any]

NOTES_ONLY = "strict is not compared, the case only says to decide it (docs/error-table.md, What strict mode decides)"
WIKI_SPELLING = "strict is not compared, it takes maxAttempts of PanDA's wiki (docs/error-table.md)"
OTHERS_LIMIT = "strict names the rule whose limit it is, not the first of a draw (docs/error-table.md, CF-004)"
ONLY_COMPATIBLE = frozenset({"cache", "hooks"})
NOT_COMPARED = (NOTES_ONLY, WIKI_SPELLING)
_NOTES = frozenset({"notes"})


def apart(case: Case) -> str | None:
    """Why the strict run of a case is not compared, or is with one thing put right first."""
    if case.group in ONLY_COMPATIBLE:
        return None
    recommended = case.data.get("recommended")
    if recommended is not None and set(recommended) <= _NOTES:
        return NOTES_ONLY
    spelled = [str(rule.get("parameters") or "") for rule in case.data["input"].get("rules") or ()]
    if any("maxAttempts=" in text for text in spelled):
        return WIKI_SPELLING
    upstream = case.data["expected_upstream"]
    return OTHERS_LIMIT if recommended is None and _attributed(case) != upstream else None


def strictly(case: Case) -> Words:
    """The keys of ``recommended`` where there are any; else what PanDA does."""
    recommended = case.data.get("recommended")
    if recommended is None:
        return _attributed(case)
    return {key: value for key, value in recommended.items() if key not in _NOTES}


def _attributed(case: Case) -> Words:
    """What PanDA does, with every logged limit attributed to a rule that has it."""
    upstream: Words = case.data["expected_upstream"]
    if case.group != "rule_engine" or "action_log" not in upstream:
        return upstream
    limits = {rule["id"]: limit_of(rule_of(rule)) for rule in case.data["input"]["rules"]}
    return {**upstream, "action_log": [_laid(line, limits) for line in upstream["action_log"]]}


def _laid(line: Words, limits: Mapping[int, int | None]) -> Words:
    limit = line.get("maxAttempt")
    if limit is None or limits[line["error_id"]] == limit:
        return line
    return {**line, "error_id": next((one for one in limits if limits[one] == limit), line["error_id"])}
