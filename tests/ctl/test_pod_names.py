import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.console.terminal import cells_of, visible
from agent.ctl.pod_names import common_name, fit_pod, least_cells, qualified


@pytest.mark.parametrize(
    ("columns", "cut"),
    [
        (40, "ml-platform/train-7dlft7-st2q8"),
        (29, "ml-platfo…/train-7dlft7-st2q8"),
        (21, "m…/train-7dlft7-st2q8"),
        (20, "…/train-7dlft7-st2q8"),
        (19, "train-7dlft7-st2q8"),
        (17, "train-7d…t7-st2q8"),
        (9, "trai…t2q8"),
        (1, "…"),
    ],
)
def test_the_namespace_is_cut_first(columns: int, cut: str) -> None:
    assert fit_pod("ml-platform/train-7dlft7-st2q8", columns) == cut


@given(namespace=st.text(max_size=20).map(visible), name=st.text(min_size=1, max_size=30).map(visible))
def test_a_name_is_whole_in_the_least_room(namespace: str, name: str) -> None:
    pod = qualified(namespace, name.replace("/", "-"))
    least = least_cells(pod)

    assert fit_pod(pod, least).endswith(name.replace("/", "-"))
    assert cells_of(fit_pod(pod, least)) <= max(least, 1)


@given(pod=st.text(min_size=1, max_size=60).map(visible), columns=st.integers(1, 80))
def test_a_name_fits(pod: str, columns: int) -> None:
    assert cells_of(fit_pod(pod, columns)) <= columns


@pytest.mark.parametrize(
    ("names", "common"),
    [
        (["web-7d4b-abcde"], "web-7d4b-abcde"),
        (["web-7d4b-abcde", "web-7d4b-abcde"], "web-7d4b-abcde"),
        (["web-7d4b-abcde", "web-7d4b-abxyz"], "web-7d4b-*"),
        (["train-0-0-a", "train-1-0-b"], "train-*"),
        (["db.eu-0", "db.us-0"], "db.*"),
        (["web-1", "web-1-0"], "web-*"),
        (["abc", "xyz"], "2 pods"),
        (["abc", "abd"], "2 pods"),
    ],
)
def test_several_pods_are_shown_by_what_their_names_share(names: list[str], common: str) -> None:
    assert common_name(names, "2 pods") == common
