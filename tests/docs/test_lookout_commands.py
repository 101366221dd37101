"""The commands of ``failctl lookout`` in docs/lookout.md print what stands below them; ``...`` is any lines."""

import io
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Final

import pytest

from agent.ctl.lookout.connect import LookoutAddress
from agent.ctl.lookout.replay import ReplayRequest, replay
from agent.ctl.lookout.rollups import RebuildRequest, rebuild_rollups
from agent.ctl.lookout.status import StatusRequest, show_status
from tests.docs.lookout_page import NOW, prepare
from tests.docs.test_lookout import PAGE

WHERE: Final = LookoutAddress(settings=Path("lookout.yaml"))
LEFT_OUT: Final = "..."


def status(out: io.StringIO) -> None:
    show_status(StatusRequest(where=WHERE), environ={}, now=NOW, out=out)


def try_replay(out: io.StringIO) -> None:
    request = ReplayRequest(since="beginning", where=WHERE, dry_run=True)
    replay(request, environ={}, now=NOW, out=out, err=io.StringIO())


def run_replay(out: io.StringIO) -> None:
    replay(ReplayRequest(since="beginning", where=WHERE), environ={}, now=NOW, out=out, err=io.StringIO())


def check_rollups(out: io.StringIO) -> None:
    rebuild_rollups(RebuildRequest(where=WHERE, check=True), environ={}, out=out)


COMMANDS: Final[Mapping[str, Callable[[io.StringIO], None]]] = {
    "status": status,
    "replay --from beginning --dry-run": try_replay,
    "replay --from beginning": run_replay,
    "rebuild-rollups --check": check_rollups,
}
"""What each command line calls, without the settings that all of them name."""


def shown() -> Iterator[tuple[str, list[str]]]:
    """Each command in a block of the page, and the lines below it."""
    for block in re.findall(r"^```\n(\$ failctl lookout .*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, *printed = part.rstrip("\n").split("\n")
            words = shlex.split(line)
            assert words[:2] == ["failctl", "lookout"]
            settings = words.index("--settings")
            assert words[settings + 1] == str(WHERE.settings)
            yield shlex.join([*words[2:settings], *words[settings + 2 :]]), printed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (written,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    prepare(tmp_path, written)
    return tmp_path


def test_the_commands_print_what_the_page_shows(folder: Path) -> None:
    found = dict(shown())
    assert list(found) == list(COMMANDS)
    with chdir(folder):
        for line, run in COMMANDS.items():
            out = io.StringIO()
            run(out)
            assert re.fullmatch(pattern(found[line]), size_left_out(out.getvalue())), (line, out.getvalue())


def pattern(lines: list[str]) -> str:
    """What matches these lines, each dot line being any lines."""
    whole = size_left_out("".join(f"{line}\n" for line in lines))
    return r"(?:.*\n)+".join(map(re.escape, whole.split(f"{LEFT_OUT}\n")))


def size_left_out(text: str) -> str:
    """The text without the size of the database, which other versions of SQLite make another one."""
    return re.sub(r"\d+\.\d MB", "x MB", text)
