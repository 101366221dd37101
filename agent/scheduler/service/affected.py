"""What a change of a resource affects: jobs that wait for a retry, and jobs of a queue."""

from collections.abc import Collection

from sqlalchemy import Connection

from agent.core.retry.compiled import compile_policy
from agent.core.retry.policy import RetryPolicy
from agent.manifests.resource.kind import Kind
from agent.scheduler.service.plan import Edit
from agent.scheduler.service.submitting import queue_scope
from agent.store import resources as table
from agent.store.resources import NONE_AFFECTED, Affected
from agent.store.submitted import lookup


def affected_by(connection: Connection, edit: Edit) -> Affected:
    """The jobs that wait for a retry, and whose counts begin again."""
    if edit.kind is Kind.QUEUE:
        return table.waiting_in(connection, edit.name)
    if edit.kind is not Kind.RETRY_POLICY:
        return NONE_AFFECTED
    kept: set[str] = set()
    if isinstance(edit.value, RetryPolicy):
        compiled = compile_policy(edit.value)
        kept = {compiled.default_key, *(rule.key for rule in compiled.rules)}
    return table.waiting_under(connection, edit.name, kept=kept)


def scopes_of(kind: Kind, name: str) -> Collection[str]:
    """What else to lock to delete a resource: nobody submits to a queue meanwhile."""
    return {queue_scope(name)} if kind is Kind.QUEUE else ()


def open_jobs(connection: Connection, kind: Kind, name: str) -> int:
    """How many jobs of a queue have not ended; 0 of another kind."""
    return lookup.open_jobs(connection, name) if kind is Kind.QUEUE else 0
