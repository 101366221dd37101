"""No file of the tree names a package registry or a place on the machine it was written on."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ground.addresses import REGISTRIES
from tests.ground.tree import ROOT, text_of, tracked

OPTIONS = [r"--(extra-)?index-url", r"--find-links", r"--trusted-host"]
GIVEN = Path("tests/cases")
"""Example files of other systems, as they are: their texts name places on those systems' machines."""


def machine_places() -> list[str]:
    """Where this tree and its user are at home, so far as those are places that nobody else would name."""
    places = [ROOT, ROOT.parent, Path.home()]
    return [rf"{re.escape(str(place))}/" for place in places if place not in {Path("/"), Path("/tmp"), Path("/home")}]  # noqa: S108 - a place that is skipped, not used


def found(pattern: re.Pattern[str]) -> Iterator[str]:
    for path in tracked():
        if GIVEN in path.parents and path.suffix == ".json":
            continue
        text = text_of(path)
        for number, line in enumerate((text or "").splitlines(), start=1):
            if pattern.search(line):
                yield f"{path}:{number}: {line.strip()[:120]}"


def test_no_registry_is_named() -> None:
    assert list(found(re.compile("|".join(REGISTRIES)))) == []


def test_no_place_of_this_machine_is_named() -> None:
    assert list(found(re.compile("|".join(machine_places())))) == []


@pytest.mark.parametrize("lock", sorted((ROOT / "locks").glob("*.txt")), ids=lambda lock: lock.name)
def test_a_lock_has_a_hash_for_everything_and_no_address(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    requirements = re.split(r"\n(?=\S)", text.replace("\\\n", " ").strip())

    assert len(requirements) > 0
    assert [
        each for each in requirements if not re.match(r"[a-z0-9._-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", each)
    ] == []
    assert "://" not in text
    assert not re.search("|".join(OPTIONS), text)


@pytest.mark.parametrize("line", ["see https://pypi" + ".org/simple", "files.python" + "hosted.org"])
def test_a_registry_would_be_found(line: str) -> None:
    assert re.search("|".join(REGISTRIES), line)
