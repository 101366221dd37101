"""What the API serves: each router, once."""

from typing import Final

from fastapi import APIRouter

from agent.lookout.api import changes, counts, lists, process

PREFIX: Final = "/api/v1"

ROUTERS: Final[tuple[APIRouter, ...]] = (process.router, lists.router, counts.router, changes.router)
"""Routers below ``PREFIX``, in the order of the document."""
