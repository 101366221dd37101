import pytest

from tests.servers.grouping import server_of

WANTED = [
    (("tmp_path",), None),
    (("control_plane", "kubernetes_program", "tmp_path"), "kubernetes"),
    (("kubernetes_program", "pulsar_program"), "pulsar"),
    (("postgres_program", "kubernetes_program"), "kubernetes"),
]


@pytest.mark.parametrize(("fixtures", "server"), WANTED)
def test_a_test_runs_where_its_dearest_server_does(fixtures: tuple[str, ...], server: str | None) -> None:
    assert server_of(fixtures) == server


def test_this_very_run_groups_tests_of_a_server(request: pytest.FixtureRequest) -> None:
    grouped = {
        item: item.get_closest_marker("xdist_group")
        for item in request.session.items
        if server_of(getattr(item, "fixturenames", ()))
    }

    assert all(mark is not None for mark in grouped.values())
