"""What the registry's entries say, folded in their order."""

from hypothesis import given
from hypothesis import strategies as st

from agent.broker.pulsar.registry import RegistryState

TOPICS = st.sampled_from(["a", "b"])
CLAIM = st.builds(lambda topic, owner: {"topic": topic, "owner": owner}, TOPICS, st.sampled_from(["x", "y"]))
ANNOUNCEMENT = st.builds(lambda topic: {"topic": topic}, TOPICS)
RELEASE = st.builds(lambda topic: {"topic": topic, "released": "true"}, TOPICS)


def known(*entries: dict[str, str]) -> dict[str, str]:
    state = RegistryState()
    for entry in entries:
        state.apply(entry)
    return state.owners


@given(entries=st.lists(CLAIM | ANNOUNCEMENT, max_size=20))
def test_the_first_claim_stands(entries: list[dict[str, str]]) -> None:
    owners = known(*entries)

    for topic in "ab":
        claims = [entry["owner"] for entry in entries if entry["topic"] == topic and "owner" in entry]
        announced = any(entry["topic"] == topic for entry in entries)
        assert owners.get(topic) == (claims[0] if claims else "" if announced else None)


@given(before=st.lists(CLAIM | ANNOUNCEMENT | RELEASE, max_size=20), topic=TOPICS)
def test_a_released_topic_is_as_if_it_had_never_been(before: list[dict[str, str]], topic: str) -> None:
    after = known(*before, {"topic": topic, "released": "true"})

    assert after == {name: owner for name, owner in known(*before).items() if name != topic}


@given(entries=st.lists(CLAIM | ANNOUNCEMENT | RELEASE, max_size=20))
def test_entries_of_somebody_else_change_nothing(entries: list[dict[str, str]]) -> None:
    assert known(*entries, {}, {"owner": "z"}) == known(*entries)
