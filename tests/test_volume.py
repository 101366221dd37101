from pathlib import Path
from threading import Event, Thread

import pytest

from tests.volume import Volume, rewrite


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if not file.name.startswith("..")}


def test_a_volume_shows_the_files_of_its_latest_version(tmp_path: Path) -> None:
    volume = Volume(tmp_path / "volume")
    volume.show({"a": b"1", "b": b"1"})
    volume.change("a", b"2")

    assert contents(volume.folder) == {"a": b"2", "b": b"1"}


@pytest.mark.slow
def test_whoever_reads_a_file_that_is_rewritten_sees_all_of_it(tmp_path: Path) -> None:
    file, over, texts = tmp_path / "f", Event(), ("a" * 100_000, "b" * 100_000)
    file.write_text(texts[0])

    def write() -> None:
        while not over.is_set():
            for text in texts:
                rewrite(file, text)

    writer = Thread(target=write)
    writer.start()
    seen = {file.read_text() for _ in range(1_000)}
    over.set()
    writer.join()

    assert seen <= set(texts)
