"""A valid new configuration takes effect, on a thread and on an event loop; an invalid one does not."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event, Thread, get_ident
from typing import Annotated

import pytest
from prometheus_client import REGISTRY, CollectorRegistry, Info
from structlog.testing import capture_logs
from structlog.typing import EventDict

from agent.process.configuration import ConfigurationFiles
from agent.process.reloader import Reloadable, Reloader
from agent.process.reloading import Digests
from agent.settings.base import LogSettings, PositiveDuration, parse_duration
from agent.settings.effect import RootSettings, after_restart, at_once
from agent.settings.fault import ConfigError, SettingFault
from agent.settings.load import load


class SignSettings(RootSettings):
    """Settings of a process that shows what the file ``words`` says."""

    words: Annotated[Path, at_once("sign.py")]
    colour: Annotated[str, after_restart("sign.py")] = "red"
    log: Annotated[LogSettings, at_once("sign.py")] = LogSettings()
    reload: Annotated[PositiveDuration, after_restart("sign.py")] = parse_duration("1ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """What the process shows."""

    settings: SignSettings
    words: str

    @property
    def revision(self) -> str:
        return self.words.upper()


def compiled(settings: SignSettings, files: Digests) -> Sign:
    assert set(files) == {settings.words}
    words = settings.words.read_text()
    if words == "bad":
        raise ConfigError(SettingFault(place=str(settings.words), path="", message="this is bad"))
    if words == "strange":
        raise ZeroDivisionError("nobody foresaw this")
    return Sign(settings=settings, words=words)


def described(before: Sign, after: Sign) -> Mapping[str, object]:
    return {"was": before.words, "is": after.words}


@dataclass(kw_only=True)
class Process:
    """The files of a process, and the values that it was given to use, with their threads."""

    folder: Path
    used: list[str] = field(default_factory=list)
    used_on: set[int] = field(default_factory=set)
    then: Callable[[], None] = lambda: None

    def write(self, words: str, *, settings: str = "") -> None:
        (self.folder / "settings.yaml").write_text(f"words: {self.folder}/words\n{settings}")
        (self.folder / "words").write_text(words)

    def reloader(self, metric: Info | None = None) -> Reloader[Sign]:
        file = self.folder / "settings.yaml"
        files = ConfigurationFiles(
            file=file,
            load=partial(load, SignSettings, file, {}),
            named=lambda settings: [settings.words],
            compiled=compiled,
            refusals=(ConfigError,),
        )
        reloadable = Reloadable(
            what="words",
            metric=metric or Info("sign", "The words.", registry=CollectorRegistry()),
            described=described,
        )
        return Reloader(files.read(), files, reloadable, use=self.use)

    def use(self, sign: Sign) -> None:
        self.used.append(sign.words)
        self.used_on.add(get_ident())
        self.then()


@pytest.fixture
def process(tmp_path: Path) -> Process:
    made = Process(folder=tmp_path)
    made.write("one")
    return made


def look(reloader: Reloader[Sign]) -> list[EventDict]:
    """The log of the polls until a change has settled and is taken."""
    with capture_logs() as logs:
        for _ in range(3):
            reloader.look()
    return logs


def test_a_good_change_is_used_shown_and_logged(process: Process) -> None:
    registry = CollectorRegistry()
    reloader = process.reloader(Info("sign", "The words.", registry=registry))
    assert registry.get_sample_value("sign_info", {"revision": "ONE"}) == 1

    process.write("two")

    assert look(reloader) == [
        {"event": "settings and words were read again", "log_level": "info", "was": "one", "is": "two"}
    ]
    assert process.used == ["two"]
    assert registry.get_sample_value("sign_info", {"revision": "TWO"}) == 1


def test_a_bad_change_is_reported_and_the_last_good_configuration_stays_until_it_is_fixed(process: Process) -> None:
    refused, reloader = "failure_agent_configuration_refused", process.reloader()

    process.write("bad")
    (said,) = look(reloader)
    assert said["event"] == "changed settings or words cannot be used; the last valid ones stay in effect"
    assert "this is bad" in said["faults"]
    assert (process.used, REGISTRY.get_sample_value(refused)) == ([], 1)

    process.write("two")
    look(reloader)
    assert (process.used, REGISTRY.get_sample_value(refused)) == (["two"], 0)


def test_an_unexpected_error_does_not_end_it(process: Process) -> None:
    reloader = process.reloader()
    process.write("strange")
    first, *_ = look(reloader)
    process.write("two")
    look(reloader)

    assert first["event"] == "changed settings or words cannot be read; the last valid ones stay in effect"
    assert process.used == ["two"]


def test_settings_that_need_a_restart_are_named_until_they_are_changed_back(process: Process) -> None:
    needed, reloader = "failure_agent_configuration_restart_needed", process.reloader()

    for settings, later in (
        ("colour: blue", ("colour",)),
        ("colour: blue\nlog: {level: debug}", ("colour",)),
        ("log: {level: debug}", ()),
    ):
        process.write("two", settings=settings)
        warned = [line["settings"] for line in look(reloader) if line["log_level"] == "warning"]
        assert warned == ([later] if later else [])
        assert REGISTRY.get_sample_value(needed) == len(later)


def test_on_a_thread_it_runs_until_it_is_stopped(process: Process) -> None:
    used, stop = Event(), Event()
    process.then = used.set
    thread = Thread(target=process.reloader().run_until, args=(stop,))
    thread.start()
    process.write("two")
    assert used.wait(30)
    stop.set()
    thread.join()

    assert process.used_on == {thread.ident}


async def test_on_an_event_loop_a_change_is_used_there(process: Process) -> None:
    used = asyncio.Event()
    process.then = used.set
    looking_on = asyncio.create_task(process.reloader().run())
    process.write("two")
    async with asyncio.timeout(30):
        await used.wait()
    looking_on.cancel()

    assert process.used_on == {get_ident()}
