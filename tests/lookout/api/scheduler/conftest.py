from collections.abc import Iterator

import pytest

from agent.store.store import Store
from tests.lookout.api.scheduler.fronting import in_front_of
from tests.lookout.api.serving import Client
from tests.scheduler.service.site import served, site
from tests.store.databases import new_store


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a Lookout that forwards to a scheduler over an empty store."""
    url = new_store(tmp_path_factory.mktemp("scheduler"))
    with (
        Store.open(url) as store,
        served(site(store)) as address,
        in_front_of(address, tmp_path_factory.mktemp("lookout")) as found,
    ):
        yield found
