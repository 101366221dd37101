import errno
import os
from pathlib import Path

import pytest

from agent.demo.layout import FolderRefused, demo_folder
from tests.tables import table


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")

    with pytest.raises(FolderRefused, match="name another one with --dir"), demo_folder(tmp_path):
        pass

    assert (tmp_path / "thesis.tex").read_text() == "precious"


def test_an_earlier_demos_folder_is_emptied(tmp_path: Path) -> None:
    with demo_folder(tmp_path / "demo") as earlier:
        earlier.store.write_text("old")
        (earlier.folder / "logs" / "scheduler.log").write_text("old")

    with demo_folder(tmp_path / "demo") as layout:
        assert not layout.store.exists()
        assert list((layout.folder / "logs").iterdir()) == []


def test_the_folder_of_a_demo_that_runs_is_left_alone(tmp_path: Path) -> None:
    with demo_folder(tmp_path / "demo") as running:
        running.store.write_text("in use")

        with pytest.raises(FolderRefused, match=rf"another demo is running in .*demo \(process {os.getpid()}\); name"):
            demo_folder(tmp_path / "demo").__enter__()

        assert running.store.read_text() == "in use"


def test_a_folder_that_no_address_of_a_store_can_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FolderRefused, match=r"a question mark .* name another one"), demo_folder(tmp_path / "demo?"):
        pass

    assert not (tmp_path / "demo?").exists()


def test_a_folder_in_which_nothing_can_be_written_any_more_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with demo_folder(tmp_path / "demo") as layout:
        layout.check_room()
        assert not list(layout.folder.glob(".room"))

        monkeypatch.setattr(Path, "write_bytes", refuse)
        with pytest.raises(OSError, match=f"No space left on device: '{layout.folder}'"):
            layout.check_room()


def test_what_is_not_there_is_made(tmp_path: Path) -> None:
    with demo_folder(tmp_path / "a" / "b") as layout:
        assert (layout.folder / "logs").is_dir()


def test_lookout_forwards_to_the_port_that_the_scheduler_takes_whenever_it_starts(tmp_path: Path) -> None:
    with demo_folder(tmp_path / "demo") as layout:
        written = [part.arguments[-1] for part in (layout.scheduler(), layout.lookout())]
        scheduler, lookout = (table(Path(path))["api"] for path in written)

    assert lookout["scheduler"] == f"127.0.0.1:{scheduler['port']}"
    assert scheduler["port"] not in (0, lookout["port"])
