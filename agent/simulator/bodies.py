"""The bodies of requests: objects, patches, and options of deletions."""

from collections.abc import Callable

from aiohttp import web
from msgspec import DecodeError

from agent.json_reader.reader import read_value
from agent.simulator.kinds import Json, Kind
from agent.simulator.options import number
from agent.simulator.patch import apply_json_patch, merge, strategic_merge
from agent.simulator.status import StatusError, bad_request, namesake, unsupported_media_type, unversioned
from agent.simulator.store import Key

Change = Callable[[Json], Json]
"""What a request makes of an object."""


async def body(request: web.Request) -> Json:
    """The object that was sent. Raises StatusError (400)."""
    sent = await _any_body(request)
    if not isinstance(sent, dict):
        raise bad_request("the body of the request is no JSON object")
    return sent


async def _any_body(request: web.Request) -> object:
    if "dryRun" in request.query:
        raise _no_dry_run()
    try:
        return read_value(await request.read())
    except (ValueError, DecodeError) as error:
        raise bad_request(f"couldn't get version/kind; json parse error: {error}") from error


async def patch(request: web.Request) -> Change:
    patch = await _any_body(request)
    form = request.content_type
    if form == "application/json-patch+json":
        return lambda thing: apply_json_patch(thing, patch)
    if not isinstance(patch, dict):
        raise bad_request("the body of the request is no JSON object")
    if form == "application/merge-patch+json":
        return lambda thing: merge(thing, patch)
    if form == "application/strategic-merge-patch+json":
        return lambda thing: strategic_merge(thing, patch)
    raise unsupported_media_type()


async def replacement(request: web.Request, kind: Kind, key: Key) -> Change:
    whole = await body(request)
    uid = (whole.get("metadata") or {}).get("uid")

    def replace(thing: Json) -> Json:
        known = thing["metadata"]["uid"]
        if uid is not None and uid != known:
            raise namesake(kind, key, wanted=uid, known=known)
        if kind.versioned and not (whole.get("metadata") or {}).get("resourceVersion"):
            raise unversioned(kind, key[1])
        return {**whole, "metadata": {**whole.get("metadata", {}), "uid": known}}

    return replace


async def delete_options(request: web.Request) -> Json:
    options = await body(request) if request.can_read_body else {}
    if "dryRun" in request.query or options.get("dryRun"):
        raise _no_dry_run()
    grace = number(request.query, "gracePeriodSeconds")
    return options if grace is None else {**options, "gracePeriodSeconds": grace}


def _no_dry_run() -> StatusError:
    """Refuse a dry run, which would otherwise change objects."""
    return bad_request("the simulator has no dry run; nothing was done")
