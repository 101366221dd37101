"""How an API server says no: Status objects, in its words (apimachinery: pkg/api/errors)."""

from collections.abc import Mapping

from agent.simulator.kinds import Json, Kind


class Refused(Exception):
    """A request is answered with this Status."""

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
            "reason": reason,
            **({} if details is None else {"details": dict(details)}),
            "code": code,
        }


def _about(kind: Kind, name: str) -> Mapping[str, object]:
    return {"name": name, "kind": kind.plural}


def not_found(kind: Kind, name: str) -> Refused:
    """404."""
    return Refused(404, "NotFound", f'{kind.plural} "{name}" not found', details=_about(kind, name))


def no_such_path() -> Refused:
    """404 for a path that is not served."""
    return Refused(404, "NotFound", "the server could not find the requested resource", details={})


def already_exists(kind: Kind, name: str) -> Refused:
    """409 on create."""
    return Refused(409, "AlreadyExists", f'{kind.plural} "{name}" already exists', details=_about(kind, name))


def stale(kind: Kind, name: str) -> Refused:
    """409: the resourceVersion given is not the current one."""
    return conflict(
        kind,
        name,
        "the object has been modified; please apply your changes to the latest version and try again",
    )


def conflict(kind: Kind, name: str, why: str, *, resource: str = "") -> Refused:
    """409 with the reason in words; ``resource`` is what the server calls it, the plural unless given."""
    message = f'Operation cannot be fulfilled on {resource or kind.plural} "{name}": {why}'
    return Refused(409, "Conflict", message, details=_about(kind, name))


def invalid(kind: Kind, name: str, *, field: str, why: str) -> Refused:
    """422 about one field; ``why`` begins with the error's type, as ``Invalid value: ...``."""
    cause = {"reason": f"FieldValue{why.partition(':')[0].title().replace(' ', '')}", "message": why, "field": field}
    return Refused(
        422,
        "Invalid",
        f'{kind.name} "{name}" is invalid: {field}: {why}',
        details={"name": name, "kind": kind.name, "causes": [cause]},
    )


def unprocessable(why: str) -> Refused:
    """422 without a field, as for a JSON patch that does not apply."""
    return Refused(422, "Invalid", f"the server rejected our request due to an error in our request: {why}", details={})


def bad_request(message: str) -> Refused:
    """400."""
    return Refused(400, "BadRequest", message)


def unsupported_media_type(given: str) -> Refused:
    """415: a patch of a kind that is not served."""
    known = "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json"
    message = f"the body of the request was in an unknown format - accepted media types include: {known}"
    return Refused(415, "UnsupportedMediaType", message, details={"causes": [{"message": given}]})


def expired(*, asked: int, oldest: int) -> Refused:
    """410: a watch from a version that is no longer in the history."""
    return Refused(410, "Expired", f"too old resource version: {asked} ({oldest})")


def expired_continue(token: str) -> Refused:
    """410: a list cannot be continued as it was; ``token`` continues it inconsistently."""
    message = (
        "The provided continue parameter is too old to display a consistent list result. You can start a new list "
        "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
        "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
        "modified, or deleted between the time the first chunk was returned and now may show up in the list."
    )
    return Refused(410, "Expired", message, metadata={"continue": token})


def too_large_version(*, asked: int, current: int) -> Refused:
    """504: a version that does not exist yet."""
    cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    return Refused(
        504,
        "Timeout",
        f"Too large resource version: {asked}, current: {current}",
        details={"causes": [cause], "retryAfterSeconds": 1},
        retry_after=1,
    )


def success(kind: Kind, name: str, uid: str) -> Json:
    """What a deletion that left nothing behind is answered with."""
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {"name": name, "kind": kind.plural, "uid": uid},
    }
