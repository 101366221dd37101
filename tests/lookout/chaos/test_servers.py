"""Chaos on Pulsar and Postgres: two processes that share the work, and a database that dies and cannot be reached."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import make_url

from tests.lookout.chaos.course import Blows, Course, drawn_seed
from tests.lookout.chaos.lookouts import Lookouts
from tests.lookout.chaos.story import told
from tests.scheduler.path import Place
from tests.servers.postgres_server import PostgresServer
from tests.servers.proxy import TcpProxy
from tests.servers.pulsar_namespace import PulsarNamespace

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pulsar")]


@contextmanager
def ended(server: PostgresServer, end: Callable[[], None]) -> Iterator[None]:
    """The server has ended while messages come, and is started again on its data."""
    end()
    yield
    server.mend()


@contextmanager
def cut(proxy: TcpProxy) -> Iterator[None]:
    """All connections are reset while they are used."""
    yield
    proxy.cut()


@contextmanager
def unreachable(proxy: TcpProxy) -> Iterator[None]:
    """Connections are reset, and no new ones are accepted for a while."""
    proxy.refuse()
    proxy.cut()
    yield
    proxy.mend()


@contextmanager
def silent(proxy: TcpProxy) -> Iterator[None]:
    """All packets are lost for a while."""
    proxy.stall()
    yield
    proxy.mend()


def blows_of(lookouts: Lookouts, postgres: PostgresServer, proxy: TcpProxy) -> Blows:
    return {
        "one killed": lookouts.killed,
        "all killed": lookouts.all_killed,
        "restarted": lookouts.restarted,
        "server killed": lambda: ended(postgres, postgres.kill),
        "server stopped": lambda: ended(postgres, postgres.stop),
        "connections cut": partial(cut, proxy),
        "unreachable": partial(unreachable, proxy),
        "silent": partial(silent, proxy),
    }


@pytest.mark.parametrize(
    ("jobs", "strikes"),
    [
        (40, 4),
        pytest.param(600, 40, marks=[pytest.mark.long, pytest.mark.timeout(900)]),  # 40 strikes, seconds each
    ],
)
def test_two_store_what_one_stores_to_which_nothing_happens(
    pulsar_namespace: PulsarNamespace,
    postgres: PostgresServer,
    postgres_store: str,
    start_proxy: Callable[[int], TcpProxy],
    tmp_path: Path,
    *,
    jobs: int,
    strikes: int,
) -> None:
    draw, proxy = Random(drawn_seed()), start_proxy(postgres.port)  # noqa: S311 - it must repeat
    through = make_url(postgres_store)._replace(port=proxy.port).render_as_string(hide_password=False)
    place = Place(broker_url=f"{pulsar_namespace.broker.url}/{pulsar_namespace.name}", store_url=through)
    with ExitStack() as stack:
        broker = stack.enter_context(closing(place.open_log()))
        lookouts = stack.enter_context(Lookouts(place, tmp_path, draw, several=2))
        lookouts.wait_until_ready()
        blows = blows_of(lookouts, postgres, proxy)
        course = Course(draw=draw, broker=broker, url=postgres_store, folder=tmp_path, blows=blows)
        story = told(draw, jobs=jobs)
        course.play(story, strikes=strikes)
        lookouts.wait_until_ready()
        course.assert_as_if_nothing_had_failed(story)
        lookouts.end()
