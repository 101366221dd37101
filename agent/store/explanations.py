"""Verdicts as rows hold them: the explanation as JSON, what later verdicts need to know in columns."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import msgspec
from sqlalchemy import RowMapping

from agent.core.decision.explanation import Explanation
from agent.core.decision.verdict import Verdict
from agent.core.history import Past
from agent.core.limit import Charge, VerdictAction


def read(row: RowMapping | Mapping[str, Any]) -> Verdict:
    """The verdict in a row, without the node of the failure, which is in the failure's row."""
    return Verdict(explanation=decode_explanation(row["explanation"]), past=_past(row))


def _past(row: RowMapping | Mapping[str, Any]) -> Past:
    charge, lasted = row["charge"], row["lasted_seconds"]
    retried = row["action"] == VerdictAction.RETRY
    return Past(
        charge=None if charge is None else Charge(charge),
        undisturbed=row["undisturbed"],
        backoff_base=row["backoff_base"],
        shadow_key=row["shadow_key"],
        retried=retried,
        granted_at=row["decided_at"] if retried else None,
        began_at=row["began_at"],
        lasted=None if lasted is None else timedelta(seconds=lasted),
    )


def encode_explanation(explanation: Explanation) -> Any:  # noqa: ANN401 - JSON
    """An explanation as JSON: dicts, lists and scalars."""
    return msgspec.to_builtins(explanation)


def decode_explanation(document: Any) -> Explanation:  # noqa: ANN401 - JSON
    """An explanation from JSON. Fields that later versions added are ignored; missing ones get their defaults."""
    return msgspec.convert(document, Explanation)
