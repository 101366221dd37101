"""Whether a queue takes a job: pure."""

from collections.abc import Iterator

from agent.core.queue import Queue
from agent.core.submission.forbidden import forbidden_account
from agent.core.submission.submission import Submission


def queue_scope(name: str) -> str:
    """The decision scope of a queue: held to submit to it, and to delete it."""
    return f"queue/{name}"


def refusals(submission: Submission, queue: Queue | None) -> Iterator[str]:
    """Yield why the queue does not take the job; ``None``: there is no such queue."""
    if queue is None:
        name = submission.queue
        yield f"there is no queue {name}; create it: failctl create queue {name}"
        return
    if queue.namespaces is not None and submission.namespace not in queue.namespaces:
        allowed = ", ".join(queue.namespaces) or "none"
        yield f"queue {queue.name} does not allow the namespace {submission.namespace}; allowed: {allowed}"
    for found in forbidden_account(submission.pod_spec, allowed=queue.service_accounts or ()):
        yield f"in queue {queue.name}, {found.message}; {found.hint}"
