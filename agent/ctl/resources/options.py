"""A queue that is given by options instead of a file."""

from collections.abc import Mapping
from typing import Any, Final

from agent.console.exits import UsageError
from agent.ctl.resources.kinds import read_kind
from agent.manifests.resource.kind import Kind

_FIELDS: Final = {"priority": "priority", "max_active_runs": "maxActiveRuns", "apply_to_jobs": "applyToJobs"}


def queue_named(verb: str, kind: str | None, name: str | None, *, files: bool) -> tuple[Kind | None, str | None]:
    """The kind that files must have, and the queue that options are about. Raises UsageError."""
    if kind is None:
        return None, None
    meant = read_kind(kind)
    if name is None:
        if files:
            return meant, None
        raise UsageError(f"{verb} which {meant.word}? -f FILE names documents")
    if meant is not Kind.QUEUE:
        raise UsageError(f"a {meant.word} has too much to say for options; write a file and give -f FILE")
    return meant, name


def queue_fields(given: Mapping[str, Any], *, queue: str | None) -> Mapping[str, object]:
    """The fields of ``spec`` that options give. Raises UsageError for options without a queue."""
    fields: dict[str, object] = {
        field: given[option] for option, field in _FIELDS.items() if given.get(option) is not None
    }
    if (policies := given.get("retry_policies")) is not None:
        fields["retryPolicies"] = [name.strip() for name in policies.split(",") if name.strip()]
    if fields and queue is None:
        raise UsageError("these options are about a queue: write queue NAME before them")
    return fields
