"""What the scheduler decided about runs, and what people asked for: rows that never change."""

from msgspec import to_builtins

from agent.core.job_event import JobEvent, JobRequested, RunDecided
from agent.lookout.store.fitting import fitted
from agent.store.columns import Row


def decision_row(event: JobEvent, decided: RunDecided) -> Row:
    """The row of a decision."""
    row = {
        "event_id": event.event_id,
        "run_id": decided.run_id,
        "job_id": event.job_id,
        "sequence": event.sequence,
        "decided_at": event.at,
        "attempt": decided.attempt,
        "failure_id": decided.failure_id,
        "action": decided.action.value,
        "reason": decided.reason,
        "sentence": decided.sentence,
        "policy": decided.policy,
        "rule": decided.rule,
        "rule_key": decided.rule_key,
        "dialect": decided.dialect,
        "rule_number": decided.rule_number,
        "delay_seconds": None if decided.delay is None else decided.delay.total_seconds(),
        "not_before": decided.not_before,
        "avoid_nodes": list(decided.avoid_nodes),
        "avoid_nodes_left_out": decided.avoid_nodes_left_out,
        "avoid_preferred": decided.avoid_preferred,
        "memory": to_builtins(decided.memory),
        "memory_left_out": decided.memory_left_out,
    }
    return fitted(row)


def request_row(event: JobEvent, requested: JobRequested) -> Row:
    """The row of what a person asked for."""
    row = {
        "event_id": event.event_id,
        "job_id": event.job_id,
        "sequence": event.sequence,
        "at": event.at,
        "kind": requested.kind.value,
        "by": requested.by,
        "reason": requested.reason,
        "refused": requested.refused,
    }
    return fitted(row)
