"""Problems as pages: what a person reads in a browser who opened an address that is refused, or that failed."""

from base64 import b64encode
from hashlib import sha256
from html import escape
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.lookout.api.guard import DATA
from agent.lookout.api.problems import ProblemBody

_STYLE: Final = (
    "body{max-width:40rem;margin:15vh auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;background:Canvas}"
    "h1{font-size:1.5rem}p{overflow-wrap:anywhere}"
)
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>{title}</title><style>{style}</style></head>
<body><main><h1>{title}</h1><p>{detail}</p><p><a href="/">Overview</a> <a href="/jobs">All jobs</a></p>
<p>Status {status}, <code>{code}</code></p></main></body></html>
"""


def page_of(problem: ProblemBody) -> bytes:
    """The page that says what is wrong, and leads on."""
    detail = problem.detail[:1].upper() + problem.detail[1:]
    end = "" if detail.endswith((".", "!", "?")) else "."
    texts = {"title": problem.title, "detail": f"{detail}{end}", "code": problem.code}
    page = _PAGE.format(style=_STYLE, status=problem.status, **{name: escape(text) for name, text in texts.items()})
    return page.encode()


def headers_of_page(length: int) -> dict[str, str]:
    """What is said of a page of this length; it may load nothing, and has one style."""
    return {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Length": str(length),
        "Content-Security-Policy": _POLICY,
    }


def is_for_people(path: str, headers: Headers) -> bool:
    """Whether a person opened the address: browsers ask for HTML then, and below the API programs ask."""
    return not path.startswith(DATA) and "text/html" in headers.get("accept", "")


class Readable:
    """Turns problems into pages for people."""

    def __init__(self, app: ASGIApp) -> None:
        self._app: Final = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and is_for_people(scope["path"], Headers(scope=scope)):
            await self._app(scope, receive, _Turning(send).send)
        else:
            await self._app(scope, receive, send)


class _Turning:
    """Sends what an application sends, and a page instead of a problem, which is always sent in one part."""

    def __init__(self, send: Send) -> None:
        self._send: Final = send
        self._problem: Message | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_problem(message):
            self._problem = message
        elif self._problem is None:
            await self._send(message)
        else:
            start, self._problem = self._problem, None
            body = page_of(ProblemBody.model_validate_json(message["body"]))
            MutableHeaders(scope=start).update(headers_of_page(len(body)))
            await self._send(start)
            await self._send({**message, "body": body})


def _is_problem(start: Message) -> bool:
    is_wrong = start["status"] >= HTTPStatus.BAD_REQUEST
    return is_wrong and Headers(raw=start["headers"]).get("content-type") == "application/problem+json"
