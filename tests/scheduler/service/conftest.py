import pytest

from agent.store.store import Store
from tests.scheduler.service.site import Site, site
from tests.store.databases import store, store_url

__all__ = ["api", "store", "store_url"]


@pytest.fixture
def api(store: Store) -> Site:
    return site(store)
