"""Files are read again when they change: by an edit, by the symlink of a ConfigMap, or to invalid content."""

from dataclasses import dataclass, field
from pathlib import Path

from agent.process.reloading import Reading, Reloaded, Reloading, ReloadRefused, digests_of
from agent.settings.fault import ConfigError, SettingFault


@dataclass(kw_only=True)
class Words:
    """A file that may say anything but 'bad', and name another on its second line."""

    file: Path
    reads: int = field(default=0)

    def read(self) -> Reading[str]:
        self.reads += 1
        seen = dict(digests_of([self.file]))
        text = self.file.read_text()
        for named in text.splitlines()[1:]:
            seen |= digests_of([Path(named)])
            if not Path(named).exists():
                raise ConfigError(SettingFault(place=named, path="", message="cannot be read"))
        if "bad" in text:
            raise ConfigError(SettingFault(place=f"{self.file}:1:1", path="", message="this is bad"))
        return Reading(value=text, seen=seen)

    def reloading(self) -> Reloading[str]:
        return Reloading(self.read(), read=self.read, refusals=(ConfigError,))


def words(folder: Path, text: str) -> Words:
    (folder / "words").write_text(text)
    return Words(file=folder / "words")


def looks(reloading: Reloading[str], times: int) -> list[Reloaded[str] | ReloadRefused]:
    return [found for _ in range(times) if (found := reloading.poll()) is not None]


def test_files_that_do_not_change_are_not_read_again(tmp_path: Path) -> None:
    some = words(tmp_path, "one")
    reloading = some.reloading()
    some.file.touch()
    some.file.write_text("one")

    assert looks(reloading, 100) == []
    assert some.reads == 1


def test_a_change_is_taken_once_and_not_before_it_has_settled(tmp_path: Path) -> None:
    some = words(tmp_path, "one")
    reloading = some.reloading()

    for half in ("t", "tw", "two"):
        some.file.write_text(half)
        assert reloading.poll() is None
    assert reloading.poll() == Reloaded(value="two")
    assert looks(reloading, 5) == []
    assert some.reads == 2


def test_a_bad_change_is_reported_once_and_the_last_good_configuration_stays_until_it_is_fixed(tmp_path: Path) -> None:
    some = words(tmp_path, "one")
    reloading = some.reloading()

    some.file.write_text("bad")
    assert looks(reloading, 100) == [ReloadRefused(problem=f"{some.file}:1:1: this is bad")]
    some.file.write_text("bad again")
    assert looks(reloading, 3) == [ReloadRefused(problem=f"{some.file}:1:1: this is bad")]
    some.file.write_text("one")
    assert looks(reloading, 3) == [Reloaded(value="one")]


def test_a_file_that_is_gone_is_wrong_and_one_that_is_back_is_read(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("x")
    some = words(tmp_path, f"one\n{other}")
    reloading = some.reloading()

    other.unlink()
    assert looks(reloading, 3) == [ReloadRefused(problem=f"{other}: cannot be read")]
    other.write_text("y")
    assert looks(reloading, 3) == [Reloaded(value=some.file.read_text())]


def test_a_file_that_is_created_after_it_was_named_is_found(tmp_path: Path) -> None:
    some = words(tmp_path, "one")
    reloading = some.reloading()
    late = tmp_path / "late"
    some.file.write_text(f"two\n{late}")
    assert looks(reloading, 3) == [ReloadRefused(problem=f"{late}: cannot be read")]

    late.write_text("here")

    assert looks(reloading, 40) == [Reloaded(value=some.file.read_text())]


def test_the_swapped_symlink_of_a_config_map_is_a_change(tmp_path: Path) -> None:
    volume = tmp_path / "volume"
    for version, text in (("..1", "one"), ("..2", "two")):
        (volume / version).mkdir(parents=True)
        (volume / version / "words").write_text(text)
    (volume / "..data").symlink_to("..1")
    (volume / "words").symlink_to("..data/words")
    reloading = Words(file=volume / "words").reloading()

    (volume / "..data_tmp").symlink_to("..2")
    (volume / "..data_tmp").rename(volume / "..data")

    assert looks(reloading, 3) == [Reloaded(value="two")]


def test_a_change_between_reading_and_the_first_look_is_seen(tmp_path: Path) -> None:
    some = words(tmp_path, "one")
    reading = some.read()
    some.file.write_text("two")

    assert looks(Reloading(reading, read=some.read, refusals=(ConfigError,)), 3) == [Reloaded(value="two")]
