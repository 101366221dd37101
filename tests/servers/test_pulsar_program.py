"""Fetching the broker's jars, with a Maven and a Java that take no time."""

import io
from pathlib import Path

import pytest

from tests.servers.progress import Progress
from tests.servers.pulsar_program import ARCHIVE, CLASSES, JARS, PulsarProgram
from tests.servers.server import CannotPrepareError

JAVA = "#!/bin/sh\necho 'openjdk version \"{}\" 2025-04-15' >&2\n"
MAVEN = """#!/bin/sh
for word; do case $word in -DoutputDirectory=*) into=${word#*=};; esac; done
echo "Downloaded from somewhere: a.jar"
/bin/mkdir -p "$into" && echo "[INFO] Copying a.jar to it" && : >"$into/a.jar"
"""
COMPILER = """#!/bin/sh
while [ "$1" != -d ]; do shift; done
/bin/mkdir -p "$2" && : >"$2/EndedSessions.class"
"""
FAILING = "#!/bin/sh\necho '[INFO] busy'\necho '[ERROR] no such artifact: a' >&2\nexit 1\n"


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def install(tools: Path, name: str, text: str) -> None:
    (tools / name).write_text(text)
    (tools / name).chmod(0o755)


def archive(program: Path) -> None:
    """Stands for a broker that ends: it needs all that was put in place before."""
    (program / ARCHIVE).write_text(f"{len(list((program / JARS).iterdir()))} jar, {(program / CLASSES).is_dir()}")


def pulsar() -> PulsarProgram:
    return PulsarProgram(archive=archive)


def build(into: Path) -> str:
    out = io.StringIO()
    into.mkdir()
    pulsar().build(into, jobs=2, progress=Progress(out, clock=lambda: 0.0))
    return out.getvalue()


@pytest.mark.parametrize("version", ["17.0.15", "21", "25-ea"])
def test_a_java_that_is_new_enough_will_do(tools: Path, version: str) -> None:
    install(tools, "java", JAVA.format(version))
    assert pulsar().key()


@pytest.mark.parametrize(
    ("java", "why"),
    [
        (JAVA.format("11.0.2"), "runs on Java 17 or later; `java` is 11"),
        (JAVA.format("1.8.0_392"), "runs on Java 17 or later; `java` is 1 "),
        ("#!/bin/sh\necho broken >&2\nexit 3\n", "`java -version` ended with 3: broken"),
    ],
)
def test_one_that_is_not_is_told(tools: Path, java: str, why: str) -> None:
    install(tools, "java", java)
    with pytest.raises(CannotPrepareError, match=why):
        pulsar().key()


def test_without_maven_it_says_so(tools: Path, tmp_path: Path) -> None:
    assert tools.is_dir()
    with pytest.raises(CannotPrepareError, match="no `mvn` on the PATH"):
        build(tmp_path / "it")


def test_what_is_fetched_is_in_place_and_told(tools: Path, tmp_path: Path) -> None:
    install(tools, "mvn", MAVEN)
    install(tools, "javac", COMPILER)
    assert build(tmp_path / "it") == "  0:00  1 files fetched, 0 jars in place\n"
    assert [jar.name for jar in (tmp_path / "it" / JARS).iterdir()] == ["a.jar"]
    assert [each.name for each in (tmp_path / "it" / CLASSES).iterdir()] == ["EndedSessions.class"]
    assert (tmp_path / "it" / ARCHIVE).read_text() == "1 jar, True"


def test_another_java_has_another_archive(tools: Path) -> None:
    install(tools, "java", JAVA.format("17.0.15"))
    key = pulsar().key()

    install(tools, "java", JAVA.format("17.0.16"))

    assert pulsar().key() != key


def test_without_a_compiler_it_says_so(tools: Path, tmp_path: Path) -> None:
    install(tools, "mvn", MAVEN)
    with pytest.raises(CannotPrepareError, match=r"`javac`, which is not on the PATH.*openjdk-17-jdk-headless"):
        build(tmp_path / "it")


def test_what_maven_says_of_an_error_is_in_ours(tools: Path, tmp_path: Path) -> None:
    install(tools, "mvn", FAILING)
    with pytest.raises(CannotPrepareError, match=r"(?s)^`mvn` ended with 1:.*no such artifact: a$"):
        build(tmp_path / "it")
