"""The conditions that a pod got from the admission webhook, and whether its report agrees, as sentences."""

from collections.abc import Sequence

from agent.core.failure import Admission, Failure
from agent.core.identity.conditions import PREFIX


def conditions(failure: Failure) -> tuple[str, ...]:
    """What the pod got at the moment it failed, and what of it the report does not agree with; mostly nothing."""
    given = failure.admission
    if given is None:
        return ()
    got = "the pod would have got" if given.shadow else "the pod got"
    said = f"{got} {_named(given.conditions)} at the moment it failed"
    return (said, _disagreement(given)) if given.disagreeing else (said,)


def _disagreement(given: Admission) -> str:
    acted = "" if given.shadow else "; the Job may have acted on it"
    return f"this report does not agree with {_named(given.disagreeing)}: it had more time and evidence{acted}"


def _named(types: Sequence[str]) -> str:
    return ", ".join(kind.removeprefix(PREFIX) for kind in types)
