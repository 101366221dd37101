"""A Lookout in front of a scheduler, of which there may be none."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from agent.lookout.api.application import create
from tests.lookout.api.serving import Client, backend, empty_store, serving

BASE = "/api/v1/scheduler"


@contextmanager
def in_front_of(address: str | None, folder: Path) -> Iterator[Client]:
    """A client of a Lookout over an empty database, which forwards to an address."""
    with empty_store(folder) as store, serving(create(replace(backend(store), scheduler=address))) as client:
        yield client
