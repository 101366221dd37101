import gc

import pytest

from tests.garbage import pytest_collection


def test_what_was_collected_is_looked_through_no_more_and_garbage_is_looked_for() -> None:
    assert gc.get_freeze_count() > 10_000
    assert gc.isenabled()


def test_garbage_is_looked_for_again_when_tests_cannot_be_collected() -> None:
    collecting = pytest_collection()
    next(collecting)
    assert not gc.isenabled()

    with pytest.raises(ImportError):
        collecting.throw(ImportError())

    assert gc.isenabled()
