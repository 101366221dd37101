from collections.abc import Iterator

import pytest

from tests.lookout.api.serving import Client, empty_store, served


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of the API over an empty database; one server for the tests of a module."""
    with empty_store(tmp_path_factory.mktemp("lookout")) as store, served(store) as found:
        yield found
