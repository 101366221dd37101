"""Answers as HTTP carries them."""

from http import HTTPStatus
from typing import Final

import msgspec
from aiohttp import web

from agent.simulator.kinds import Json

JSON: Final = "application/json"


def json_answer(thing: Json, *, status: int = HTTPStatus.OK, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(body=msgspec.json.encode(thing), status=status, content_type=JSON, headers=headers)
