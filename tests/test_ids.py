import pytest

from tests.ids import MOST_CHARACTERS, pytest_make_parametrize_id

LONG = "a" * (MOST_CHARACTERS + 1)
NULS = bytes(4 << 20)


@pytest.mark.parametrize(("value", "beginning"), [(LONG, "'aaa"), (NULS, r"b'\x00\x00")])
def test_a_long_text_is_named_by_its_beginning_and_its_length(value: str | bytes, beginning: str) -> None:
    name = pytest_make_parametrize_id(value) or ""

    assert name.startswith(beginning)
    assert name.endswith(f"' of {len(value)}")
    assert len(name) < 300


@pytest.mark.parametrize("value", ["", LONG[1:], NULS[:9], 10**5, (LONG,)], ids=str)
def test_all_else_is_named_by_pytest(value: object) -> None:
    assert pytest_make_parametrize_id(value) is None


@pytest.mark.parametrize("value", [NULS])
def test_it_is_asked_for_the_ids_of_tests(request: pytest.FixtureRequest, value: bytes) -> None:
    assert request.node.name.endswith(f" of {len(value)}]")
