"""The pages: what ``ui/build.py`` built of ``ui/``, which is in the wheel."""

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

BUILT: Final = Path(__file__).parent.parent / "pages"

ADDRESSES: Final = ("/", "/jobs", "/jobs/{rest:path}", "/runs/{rest:path}")
"""The addresses of pages. One document is sent for all of them: it reads the address, and asks the API."""

_DOCUMENT: Final = "index.html"
_NONCE: Final = "__STYLE_NONCE__"
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_FOR_EVER: Final = "public, max-age=31536000, immutable"
"""Names of built files change with their content."""

PACKED: Final = ".gz"
"""What the build adds to the name of a file that it packs by gzip, as ``ui/build.py`` does."""

_MISSING: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Lookout</title>
<h1>The pages are not built</h1>
<p>This failure-agent was installed without them. <code>make ui</code> builds them in its source tree; wheels have them.
The same data is at <a href="/api/v1/openapi.json">/api/v1</a>, and by <code>failctl</code>.</p></html>
"""


class _Assets(StaticFiles):
    """Files that never change; those that the build has packed as well are sent so to whom takes them so."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await self._packed(path, scope) or await super().get_response(path, scope)
        response.headers["Cache-Control"] = _FOR_EVER
        response.headers["Vary"] = "Accept-Encoding"
        return response

    async def _packed(self, path: str, scope: Scope) -> Response | None:
        if not _takes_gzip(Headers(scope=scope).get("accept-encoding", "")):
            return None
        try:
            response = await super().get_response(f"{path}{PACKED}", scope)
        except HTTPException:
            return None
        response.headers["Content-Encoding"] = "gzip"
        return response


def _takes_gzip(accepted: str) -> bool:
    """Whether ``Accept-Encoding`` has it, unless with a weight of 0."""
    codings = (part.replace(" ", "").partition(";") for part in accepted.split(","))
    return any(name == "gzip" and weight.rstrip("0") not in {"q=", "q=0."} for name, _, weight in codings)


def are_built(built: Path = BUILT) -> bool:
    """Whether there are pages to be served."""
    return (built / _DOCUMENT).is_file()


def routes(built: Path = BUILT) -> Iterator[BaseRoute]:
    """What is served next to the API."""

    async def document(_: Request) -> Response:
        return _document(built)

    async def icon(_: Request) -> Response:
        return FileResponse(built / "favicon.svg")

    yield from (Route(address, document) for address in ADDRESSES)
    if (built / "assets").is_dir():
        yield Route("/favicon.svg", icon)
        yield Mount("/assets", _Assets(directory=built / "assets"))


def _document(built: Path) -> HTMLResponse:
    """The document of every page, with a nonce of its own for the styles that it makes while it runs."""
    nonce = secrets.token_urlsafe(16)
    try:
        document = (built / _DOCUMENT).read_text(encoding="utf-8").replace(_NONCE, nonce)
    except FileNotFoundError:
        document = _MISSING
    return HTMLResponse(document, headers={"Content-Security-Policy": _POLICY.format(nonce=nonce)})
