"""What docs/lookout.md gives people to copy works as it stands, and what it names exists."""

import re
from pathlib import Path

from agent.lookout.store.tables import metadata
from agent.settings.load import load
from agent.settings.lookout import LookoutSettings
from tests.ground.tree import ROOT

PAGE = (ROOT / "docs" / "lookout.md").read_text(encoding="utf-8")


def test_the_settings_are_those_of_the_command_line(tmp_path: Path) -> None:
    (written,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    file = tmp_path / "lookout.yaml"
    file.write_text(written, encoding="utf-8")

    settings = load(LookoutSettings, file, {})

    assert f"--broker {settings.broker.url} --database {settings.database.url}\n" in PAGE
    assert f"on port {settings.health.port} by default" in PAGE


def test_every_table_that_people_read_is_described() -> None:
    stored = PAGE.partition("## What it stores")[2].partition("\n## ")[0]
    described = {
        name for row in re.findall(r"^\| (`.*?) \|", stored, flags=re.MULTILINE) for name in row.split("`")[1::2]
    }

    assert described == {table.name for table in metadata.sorted_tables} - {"attempt", "horizon"}


def test_the_keys_are_those_of_the_page() -> None:
    table = PAGE.partition("### Keys")[2].partition("\n#")[0]
    source = (ROOT / "ui" / "src" / "jobs" / "keyboard.ts").read_text(encoding="utf-8")
    keys = source.partition("export const KEYS = [")[2].partition("] as const")[0]

    described = re.findall(r"^\| (.+?) \| (.+?) \|$", table, flags=re.MULTILINE)[1:]
    assert described == re.findall(r'\["(.+?)", "(.+?)"\]', keys)
