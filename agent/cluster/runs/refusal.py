"""What an API server's refusal of a new pod means: permanent, for now, or that its name is taken. Pure.

Sources: kubernetes plugin/pkg/admission/resourcequota, apiserver pkg/admission/plugin/namespace/lifecycle and
pkg/admission/plugin/webhook/errors (a webhook that gives no code denies with 400 and without a reason).
"""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from agent.core.run_event import CreationFailed, RunRejected
from agent.kube.errors import ApiError

_EXISTS: Final = "AlreadyExists"
_TERMINATING: Final = "NamespaceTerminating"
_QUOTA: Final = "exceeded quota:"
_NO_PERMISSION: Final = "cannot create resource"
"""Of the agent, not of the job: its role is missing."""

_LATER: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS})


@dataclass(frozen=True, slots=True)
class NameTaken:
    """Another pod has the name; whose it is, only a look at it says."""


def read_refusal(error: ApiError) -> RunRejected | CreationFailed | NameTaken:
    """What the refusal of a create means."""
    if error.status == HTTPStatus.CONFLICT and error.reason == _EXISTS:
        return NameTaken()
    why = _reason_for_now(error)
    if why is not None:
        return RunRejected(reason=why, message=error.message)
    return CreationFailed(reason=error.reason or "Denied", message=error.message)


def _reason_for_now(error: ApiError) -> str | None:
    """Why the cluster cannot take the pod now; ``None`` if it never will."""
    if _TERMINATING in error.causes:
        return _TERMINATING
    if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR or error.status in _LATER:
        return error.reason or str(error.status)
    if error.status == HTTPStatus.CONFLICT:  # somebody else changed what admission counts in
        return error.reason or "Conflict"
    if error.status == HTTPStatus.FORBIDDEN and _QUOTA in error.message:
        return "ExceededQuota"
    if error.status == HTTPStatus.FORBIDDEN and _NO_PERMISSION in error.message:
        return "NoPermission"
    return None
