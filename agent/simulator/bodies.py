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
    if "dryRun" in request.query:
        raise _no_dry_run()
    return await created(request)


async def created(request: web.Request) -> Json:
    """The object that is to be created, perhaps as a dry run. Raises StatusError (400)."""
    sent = await _any_body(request)
    if not isinstance(sent, dict):
        raise bad_request("the body of the request is no JSON object")
    return sent


def is_dry_run(request: web.Request) -> bool:
    """Whether a creation is only tried. Raises StatusError (400)."""
    if "dryRun" not in request.query:
        return False
    if request.query.getall("dryRun") != ["All"]:
        raise _no_dry_run()
    return True


async def _any_body(request: web.Request) -> object:
    try:
        return read_value(await request.read())
    except (ValueError, DecodeError) as error:
        raise bad_request(f"couldn't get version/kind; json parse error: {error}") from error


async def patch(request: web.Request) -> Change:
    if "dryRun" in request.query:
        raise _no_dry_run()
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
    return bad_request("the simulator has no dry run but that of a creation, dryRun=All; nothing was done")
