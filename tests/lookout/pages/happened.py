"""What happens now, as an agent reports it."""

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from agent.broker.port import Message
from agent.core.failure import Failure
from agent.core.run_event import RunEvent
from tests.scheduler.path import message
from tests.store.events import event, failed


def failure_now(job: str, *, run: str = "", failure: Failure | None = None) -> RunEvent:
    """The failure of a run of a job, a moment ago; of its only one unless it is named."""
    at = datetime.now(UTC) - timedelta(seconds=1)
    told = failed() if failure is None else failure
    sent = event(f"event-{run or job}", told, run=run or f"run-{job}", job=job, attempt=0)
    return replace(sent, occurred_at=at, observed_at=at)


def messages(*events: RunEvent) -> list[Message]:
    """They as they travel."""
    return [message(told) for told in events]
