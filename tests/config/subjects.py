"""Builds subjects from the rows of ``failures.yaml``, and asks rule files about them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from agent.core.classify.rules import RuleSet
from agent.core.summary.redaction import Redactor
from agent.ctl.rule_file import compile_named
from agent.diagnose.diagnosis import Diagnoser, Diagnosis
from agent.diagnose.subject import read_subject
from agent.documents.checked import Checked
from agent.documents.compose import read
from agent.rule_files import check_rules

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)

Row = Mapping[str, Any]


@cache
def checked(file: Path) -> Checked[RuleSet]:
    """A rule file, read and checked once for all tests of a process."""
    return check_rules(read(file.read_bytes(), file=str(file)))


@cache
def diagnoser(file: Path) -> Diagnoser:
    """Whom to ask about a rule file."""
    return Diagnoser(classifier=compile_named(checked(file).value_or_raise(), file), redactor=Redactor())


def ask(asked: Diagnoser, bundle: Mapping[str, Any]) -> Diagnosis:
    """The diagnosis of one bundle."""
    return asked.diagnose(read_subject(bundle), now=NOW)


def bundle_of(row: Row) -> dict[str, Any]:
    """The bundle that a row stands for."""
    events = [
        {"type": "".join(type_) or "Warning", "reason": reason, "message": message}
        for reason, message, *type_ in row.get("events", ())
    ]
    return {"pod": _pod(row), "events": events, "node": row.get("node"), "logs": row.get("logs")}


def _pod(row: Row) -> dict[str, Any] | None:
    statuses, phase = _statuses(row)
    status = {**({"phase": phase} if phase else {}), **statuses, **row.get("status", {})}
    if not status:
        return None
    return {"kind": "Pod", "metadata": {"deletionTimestamp": row.get("deleted")}, "status": status}


def _statuses(row: Row) -> tuple[dict[str, Any], str]:
    ended = row.get("ended")
    if "said" in row:
        ended = {"exitCode": 1, "reason": "Error", "message": row["said"]}
    if ended is not None:
        return {"containerStatuses": [{"name": "main", "state": {"terminated": ended}}]}, "Failed"
    if "waits" in row:
        return {"containerStatuses": [{"name": "main", "state": {"waiting": row["waits"]}}]}, "Pending"
    return {}, "Failed" if row.get("status", {}).get("reason") else ""
