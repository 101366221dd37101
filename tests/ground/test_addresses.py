"""No file of the tree names a package registry or a place on the machine it was written on."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.ground.addresses import REGISTRIES
from tests.ground.findings import assert_no_findings
from tests.ground.tree import ROOT, line_at, text_of, tracked

OPTIONS = [r"--(extra-)?index-url", r"--find-links", r"--trusted-host"]
LOCKS = Path("locks")
GIVEN = Path("tests/cases")
"""Example files of other systems, as they are: their texts name places on those systems' machines."""


def machine_places() -> list[str]:
    """Where this tree and its user are at home, so far as those are places that nobody else would name."""
    places = [ROOT, ROOT.parent, Path.home()]
    named = [place for place in places if place not in {Path("/"), Path("/tmp"), Path("/home")}]  # noqa: S108 - a place that is skipped, not used
    return [rf"(?<![\w.~-]){re.escape(str(place))}/" for place in named]


def checked() -> list[Path]:
    return [path for path in tracked() if GIVEN not in path.parents or path.suffix != ".json"]


def matches(names: list[str], instead: str) -> Callable[[Path], Iterator[str]]:
    """The rule that no line of a file has one of these names."""
    pattern = re.compile("|".join(names))

    def named(path: Path) -> Iterator[str]:
        text = text_of(path) or ""
        for name in pattern.finditer(text):
            yield f"{path}:{line_at(text, name.start())}: {name[0]}: {instead}"

    return named


def incomplete(lock: Path) -> Iterator[str]:
    """The requirements of a lock without a version or a hash, and the addresses and options that name a registry."""
    text = text_of(lock) or ""
    for requirement in re.split(r"\n(?=\S)", text.replace("\\\n", " ").strip()):
        if not re.match(r"[a-z0-9._-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", requirement):
            yield f"{lock}: {requirement[:120]!r}: give a version and a hash; `make locks` does"
    for named in re.finditer("|".join(["://", *OPTIONS]), text):
        yield f"{lock}:{line_at(text, named.start())}: {named[0]}: name no registry; each machine is configured for one"


def test_no_registry_is_named() -> None:
    assert_no_findings(matches(list(REGISTRIES), "name no registry"), checked())


def test_no_place_of_this_machine_is_named() -> None:
    assert_no_findings(matches(machine_places(), "others have no such folder; name it relative to the tree"), checked())


def test_a_lock_has_a_hash_for_everything_and_no_address() -> None:
    assert_no_findings(incomplete, [path for path in tracked() if path.parent == LOCKS and path.suffix == ".txt"])


def test_a_lock_that_lacks_something_would_be_found(tmp_path: Path) -> None:
    lock = tmp_path / "lock.txt"
    hashed = f"a==1 \\\n    --hash=sha256:{'0' * 64}\n"
    lock.write_text(f"{hashed}b==2\n--extra-index-url x\nc @ file://c\n{hashed}", encoding="utf-8")

    assert [finding.split(": ")[1] for finding in incomplete(lock)] == [
        "'b==2'",
        "'--extra-index-url x'",
        "'c @ file://c'",
        "--extra-index-url",
        "://",
    ]


@pytest.mark.parametrize("line", ["see https://pypi" + ".org/simple", "files.python" + "hosted.org"])
def test_a_registry_would_be_found(line: str) -> None:
    assert re.search("|".join(REGISTRIES), line)


def test_a_place_would_be_found() -> None:
    place = re.compile(machine_places()[0])

    assert place.search(f"cd '{ROOT}/agent'")
    assert not place.search(f"cd /elsewhere{ROOT}/agent")
