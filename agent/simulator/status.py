"""The Status objects with which an API server refuses, in its own words (apimachinery: pkg/api/errors)."""

from collections.abc import Mapping, Sequence
from typing import Final

from agent.simulator.kinds import Json, Kind

_REASONS: Final = {
    "Invalid value": "FieldValueInvalid",
    "Required value": "FieldValueRequired",
    "Forbidden": "FieldValueForbidden",
    "Unsupported value": "FieldValueNotSupported",
    "Duplicate value": "FieldValueDuplicate",
}
"""By the words that an error of a field begins with (apimachinery: pkg/util/validation/field/errors.go)."""


class StatusError(Exception):
    """A request is answered with this Status (apimachinery: errors.StatusError)."""

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        *,
        details: Mapping[str, object] | None = None,
        metadata: Mapping[str, object] | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.retry_after = retry_after
        self.status: Json = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": dict(metadata or {}),
            "status": "Failure",
            "message": message,
            **({"reason": reason} if reason else {}),
            **({} if details is None else {"details": dict(details)}),
            "code": code,
        }


def _about(kind: Kind, name: str) -> Mapping[str, object]:
    return {"name": name, "kind": kind.plural, **_group(kind)}


def _group(kind: Kind) -> Mapping[str, object]:
    return {"group": kind.group} if kind.group else {}


def not_found(kind: Kind, name: str) -> StatusError:
    return StatusError(404, "NotFound", f'{kind.resource} "{name}" not found', details=_about(kind, name))


def no_such_path() -> StatusError:
    """404 for a path that is not served."""
    return StatusError(404, "NotFound", "the server could not find the requested resource", details={})


def already_exists(kind: Kind, name: str) -> StatusError:
    """409 on create."""
    return StatusError(409, "AlreadyExists", f'{kind.resource} "{name}" already exists', details=_about(kind, name))


def stale(kind: Kind, name: str) -> StatusError:
    """409: the resourceVersion given is not the current one."""
    return conflict(
        kind,
        name,
        "the object has been modified; please apply your changes to the latest version and try again",
    )


def conflict(kind: Kind, name: str, why: str) -> StatusError:
    """409 with the reason in words."""
    message = f'Operation cannot be fulfilled on {kind.resource} "{name}": {why}'
    return StatusError(409, "Conflict", message, details=_about(kind, name))


def namesake(kind: Kind, key: tuple[str, str], *, wanted: str, known: str) -> StatusError:
    """409: the name belongs to an object with another uid than the one that is meant."""
    why = (
        f"StorageError: invalid object, Code: 4, Key: /registry/{kind.plural}/{'/'.join(filter(None, key))}, "
        "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: "
        f"UID in precondition: {wanted}, UID in object meta: {known}"
    )
    return conflict(kind, key[1], why)


def precondition_failed(kind: Kind, name: str, why: str) -> StatusError:
    """409 for a condition of a deletion, which the server says of the kind (``Pod``), not of the resource."""
    message = f'Operation cannot be fulfilled on {kind.qualified} "{name}": {why}'
    return StatusError(409, "Conflict", message, details={"name": name, "kind": kind.name, **_group(kind)})


def forbidden(kind: Kind, name: str, why: str, *, causes: Sequence[Mapping[str, str]] = ()) -> StatusError:
    """403 by admission, with the reason in words."""
    details = {**_about(kind, name), **({"causes": list(causes)} if causes else {})}
    return StatusError(403, "Forbidden", f'{kind.resource} "{name}" is forbidden: {why}', details=details)


def invalid(kind: Kind, name: str, *, field: str, why: str, times: int = 1) -> StatusError:
    """422 about one field; ``why`` begins with the error's type, as ``Invalid value: ...``.

    ``times``: how often it is among the causes: the server checks the metadata of a changed pod twice.
    """
    return StatusError(
        422,
        "Invalid",
        f'{kind.qualified} "{name}" is invalid: {field}: {why}',
        details={"name": name, "kind": kind.name, **_group(kind), "causes": [_cause(field, why)] * times},
    )


def _cause(field: str, why: str) -> Mapping[str, object]:
    return {"reason": _REASONS[why.partition(":")[0]], "message": why, "field": field}


def invalid_options(problems: Sequence[tuple[str, str]]) -> StatusError:
    """422 about options of a list or watch: fields, and what is wrong with each."""
    causes = [_cause(field, why) for field, why in problems]
    words = [f"{field}: {why}" for field, why in problems]
    message = words[0] if len(words) == 1 else f"[{', '.join(words)}]"
    return StatusError(
        422,
        "Invalid",
        f'ListOptions.meta.k8s.io "" is invalid: {message}',
        details={"group": "meta.k8s.io", "kind": "ListOptions", "causes": causes},
    )


def unversioned(kind: Kind, name: str) -> StatusError:
    """422 for a replacement that does not say which version it replaces."""
    field, why = "metadata.resourceVersion", "Invalid value: 0: must be specified for an update"
    return StatusError(
        422,
        "Invalid",
        f'{kind.resource} "{name}" is invalid: {field}: {why}',
        details={**_about(kind, name), "causes": [_cause(field, why)]},
    )


def unprocessable() -> StatusError:
    """422 without a field, as for a JSON patch that does not apply. The server does not say why."""
    return StatusError(422, "Invalid", "the server rejected our request due to an error in our request", details={})


def denied(webhook: str, why: str) -> StatusError:
    """400 by an admission webhook that says why and nothing else (apiserver: admission/plugin/webhook/errors)."""
    return StatusError(400, "", f'admission webhook "{webhook}" denied the request: {why}')


def bad_request(message: str) -> StatusError:
    return StatusError(400, "BadRequest", message)


def unsupported_media_type() -> StatusError:
    """415: a patch of a kind that is not served."""
    return StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", details={})


def expired(*, asked: int, oldest: int) -> StatusError:
    """410: a watch from a version that is no longer in the history."""
    return StatusError(410, "Expired", f"too old resource version: {asked} ({oldest})")


def expired_continue(token: str) -> StatusError:
    """410: a list cannot be continued as it was; ``token`` continues it inconsistently."""
    message = (
        "The provided continue parameter is too old to display a consistent list result. You can start a new list "
        "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
        "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
        "modified, or deleted between the time the first chunk was returned and now may show up in the list."
    )
    return StatusError(410, "Expired", message, metadata={"continue": token})


def success(kind: Kind, name: str, uid: str) -> Json:
    """What a deletion that left nothing behind is answered with."""
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {**_about(kind, name), "uid": uid},
    }


def bare_success() -> Json:
    """What a binding is answered with."""
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
