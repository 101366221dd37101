from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from agent.simulator.kinds import PODS
from agent.simulator.selection import read_fields, read_labels, select
from agent.simulator.status import StatusError

words = st.sampled_from(["a", "b", "x/y", "in", "notin", "=", "!=", "==", "!", ",", "(", ")", " ", "status.phase"])
texts = st.lists(words).map("".join) | st.text(max_size=20)
labels = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["1", "2", ""]))


@given(text=texts)
def test_any_text_is_a_selector_or_a_bad_request(text: str) -> None:
    for read in (read_labels, lambda given: read_fields(PODS, given)):
        assert answer(read, text) in {"read", 400}


def answer(read: Callable[[str], object], text: str) -> str | int:
    try:
        read(text)
    except StatusError as refused:
        return refused.code
    return "read"


@given(labels=labels, name=st.sampled_from("abc"), value=st.sampled_from(["1", "2"]))
def test_a_requirement_and_its_opposite_part_all_objects(labels: dict[str, str], name: str, value: str) -> None:
    pairs = (
        (f"{name}={value}", f"{name}!={value}"),
        (f"{name} in ({value},3)", f"{name} notin ({value},3)"),
        (name, f"!{name}"),
    )
    pod = {"metadata": {"labels": labels}}
    for wanted, opposite in pairs:
        fits = select(PODS, namespace="", labels=wanted, fields="").fits(pod)
        assert fits is not select(PODS, namespace="", labels=opposite, fields="").fits(pod)


@given(labels=labels)
def test_nothing_asked_is_everything(labels: dict[str, str]) -> None:
    assert select(PODS, namespace="", labels="", fields="").fits({"metadata": {"labels": labels}})
