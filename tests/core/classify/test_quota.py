"""The arithmetic of refusals; ``conditions.yaml`` has the forms in which they are read."""

from hypothesis import given
from hypothesis import strategies as st

from agent.core.classify.quota import request_exceeds_quota
from agent.core.units import parse

NAMES = st.sampled_from(["cpu", "limits.memory", "requests.nvidia.com/gpu", "count/jobs.batch"])
QUANTITIES = st.tuples(st.integers(0, 5000), st.sampled_from(["", "m", "Mi", "Gi", "M", "k"])).map(
    lambda quantity: f"{quantity[0]}{quantity[1]}"
)
AMOUNTS = st.dictionaries(NAMES, st.tuples(QUANTITIES, QUANTITIES, QUANTITIES), min_size=1)


def refusal(amounts: dict[str, tuple[str, str, str]]) -> str:
    requested, used, limited = (",".join(f"{name}={of[at]}" for name, of in amounts.items()) for at in range(3))
    return f"exceeded quota: q, requested: {requested}, used: {used}, limited: {limited}"


@given(AMOUNTS, st.text(), st.sampled_from(["", ".", '"', '","code":403}', ")", "\n", "; retrying"]))
def test_a_request_is_too_large_if_one_of_its_amounts_is(
    amounts: dict[str, tuple[str, str, str]], before: str, after: str
) -> None:
    """Whatever is used."""
    too_large = any(parse(requested) > parse(limited) for requested, _, limited in amounts.values())

    assert request_exceeds_quota(f"{before} {refusal(amounts)}{after}") == too_large


@given(AMOUNTS, st.data())
def test_a_refusal_that_was_cut_off_says_no_more_than_the_whole(
    amounts: dict[str, tuple[str, str, str]], data: st.DataObject
) -> None:
    whole = refusal(amounts)
    cut = data.draw(st.integers(0, len(whole) - 1))

    for mark in ("...", "\u2026"):
        assert request_exceeds_quota(whole) or not request_exceeds_quota(whole[:cut] + mark)


def test_the_beginnings_of_many_refusals_are_none() -> None:
    assert not request_exceeds_quota("exceeded quota: q, requested: cpu=2, used: " * 2000)
