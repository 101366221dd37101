import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.child import PIPE, Child
from tests.ground.tree import ROOT
from tests.servers.cache import VARIABLE, Cache, cache_folder, fingerprint

FILES = st.dictionaries(st.text(max_size=4), st.binary(max_size=4), max_size=3)
FACTS = st.lists(st.text(max_size=4), max_size=3)


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({VARIABLE: "/given"}, Path("/given")),
        ({VARIABLE: "/given", "XDG_CACHE_HOME": "/xdg"}, Path("/given")),
        ({"XDG_CACHE_HOME": "/xdg"}, Path("/xdg/failure-agent/servers")),
        ({"XDG_CACHE_HOME": "xdg"}, Path.home() / ".cache/failure-agent/servers"),
        ({"XDG_CACHE_HOME": ""}, Path.home() / ".cache/failure-agent/servers"),
        ({VARIABLE: ""}, Path.home() / ".cache/failure-agent/servers"),
    ],
)
def test_the_cache_is_where_the_environment_has_it(environ: dict[str, str], folder: Path) -> None:
    assert cache_folder(environ) == folder


def test_a_relative_folder_is_taken_from_here() -> None:
    assert cache_folder({VARIABLE: "given"}) == Path.cwd() / "given"


@given(one=st.tuples(FILES, FACTS), other=st.tuples(FILES, FACTS))
def test_a_fingerprint_is_the_same_for_the_same_only(
    one: tuple[dict[str, bytes], list[str]], other: tuple[dict[str, bytes], list[str]]
) -> None:
    assert (fingerprint(*one) == fingerprint(*other)) == (one == other)


def test_bytes_do_not_wander_between_files_and_facts() -> None:
    wanderers = [({"a": b"bc"}, []), ({"ab": b"c"}, []), ({"a": b""}, ["bc"]), ({}, ["a", "bc"]), ({"a": b"bc"}, [""])]

    assert len({fingerprint(files, facts) for files, facts in wanderers}) == len(wanderers)


def never() -> None:
    raise AssertionError("nobody else was there")


def write_it(into: Path) -> None:
    (into / "made").write_text("whole")


def test_what_is_made_once_is_found(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "not" / "there")
    assert cache.find("a", "1") is None

    made = cache.make("a", "1", build=write_it, waiting=never)

    assert (made / "made").read_text() == "whole"
    assert cache.find("a", "1") == made
    assert cache.make("a", "1", build=lambda _: never(), waiting=never) == made
    assert cache.find("a", "2") is None
    assert cache.find("b", "1") is None


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_of_a_failed_build_nothing_stays(tmp_path: Path, error: type[BaseException]) -> None:
    def fail(into: Path) -> None:
        write_it(into)
        raise error

    with pytest.raises(error):
        Cache(tmp_path).make("a", "1", build=fail, waiting=never)

    assert [path.name for path in tmp_path.iterdir()] == ["a.lock"]


def test_servers_of_another_key_are_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    first, second = (cache.make("a", key, build=write_it, waiting=never) for key in ("1", "2"))

    assert (first / "made").exists()
    assert (second / "made").exists()


def build_slowly(folder: Path) -> None:
    def build(into: Path) -> None:
        write_it(into)
        sys.stdout.write("entered\n")
        sys.stdout.flush()
        time.sleep(600)

    Cache(folder).make("a", "1", build=build, waiting=never)


def count_builds(folder: Path) -> None:
    def build(into: Path) -> None:
        with (folder / "builds").open("a") as builds:
            builds.write("one\n")
        time.sleep(0.2)
        write_it(into)

    Cache(folder).make("a", "1", build=build, waiting=lambda: None)


def here(function: str, folder: Path) -> list[str]:
    """The command of a process that calls this function of this file with the folder."""
    program = f"import sys, pathlib; from {__name__} import {function}; {function}(pathlib.Path(sys.argv[1]))"
    return [sys.executable, "-c", program, str(folder)]


@pytest.mark.slow
def test_of_many_processes_one_builds(start: Callable[..., Child], tmp_path: Path) -> None:
    processes = [start(here("count_builds", tmp_path), cwd=ROOT) for _ in range(3)]

    assert [process.wait() for process in processes] == [0, 0, 0]
    assert (tmp_path / "builds").read_text() == "one\n"


@pytest.mark.slow
def test_a_killed_build_is_in_nobodys_way(tmp_path: Path) -> None:
    with Child(here("build_slowly", tmp_path), cwd=ROOT, stdout=PIPE) as building:
        assert building.line() == "entered\n"
        building.kill()
    cache = Cache(tmp_path)
    assert cache.find("a", "1") is None

    made = cache.make("a", "1", build=write_it, waiting=never)

    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["a.lock", made.name])
