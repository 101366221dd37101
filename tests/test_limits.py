import re

import pytest

from tests.ground.tree import text_of, written_python
from tests.limits import MOST_SECONDS, pytest_collection_modifyitems

TIMEOUT = re.compile(r"mark\.timeout\([^#]*$")


def test_a_long_test_may_take_longer(request: pytest.FixtureRequest) -> None:
    request.node.add_marker(pytest.mark.timeout(MOST_SECONDS + 1))  # nobody waits for it
    request.node.add_marker(pytest.mark.long)

    pytest_collection_modifyitems([request.node])


def test_a_longer_time_is_refused_by_the_names_of_the_tests(request: pytest.FixtureRequest) -> None:
    request.node.add_marker(pytest.mark.timeout(MOST_SECONDS + 1))  # nobody waits for it

    with pytest.raises(pytest.UsageError, match=r"test_limits.py::test_a_longer_time\w+: 241 s"):
        pytest_collection_modifyitems([request.node])


def test_every_longer_time_has_a_reason() -> None:
    without = [
        f"{path}:{number}: {line.strip()}"
        for path in written_python("tests")
        for number, line in enumerate((text_of(path) or "").splitlines(), start=1)
        if TIMEOUT.search(line)
    ]

    assert without == [], "say why behind a # on the same line"
    assert TIMEOUT.search("@pytest.mark" + ".timeout(7)")
