"""The program of a Pulsar standalone: its jars, from wherever the user's own Maven settings get them."""

import os
import re
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.child import run
from tests.servers.cache import fingerprint
from tests.servers.progress import Progress
from tests.servers.server import CannotPrepareError
from tests.servers.tool import find_tool, lines_of

SOURCE: Final = Path(__file__).parent / "standalone"
JARS: Final = "jars"
CLASSES: Final = "classes"
ARCHIVE: Final = "classes.jsa"
ENDED_SESSIONS: Final = "EndedSessions"

_JAVA_SOURCE: Final = f"{ENDED_SESSIONS}.java"
_POM: Final = "pom.xml"
_PLUGIN: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
_OLDEST_JAVA: Final = 17
_VERSION: Final = re.compile(r'version "(?P<major>\d+)')
_INSTALL: Final = "(on Debian and Ubuntu: apt-get install openjdk-17-jdk-headless maven)"


class PulsarProgram:
    """Real Apache Pulsar for tests: broker, bookie and metadata store in one process. The version is pom.xml's.

    ``archive`` is called with the folder once everything else is in it (``pulsar_archive``).
    """

    name: Final = "pulsar"
    cost: Final = "about a minute, 350 MB of disk, Java 17 and Maven"

    def __init__(self, *, archive: Callable[[Path], None]) -> None:
        self._archive: Final = archive

    def key(self) -> str:
        """Of another Java too: it does not read an archive that is not its own."""
        sources = {name: (SOURCE / name).read_bytes() for name in (_POM, _JAVA_SOURCE)}
        return fingerprint(sources, [_PLUGIN, ARCHIVE, _java_version()])

    def build(self, into: Path, *, jobs: int, progress: Progress) -> None:
        """Fetch the jars, ``jobs`` at a time, compile what is ours, and archive the classes."""
        self._fetch(into, jobs=jobs, progress=progress)
        _compile(into)
        self._archive(into)

    def _fetch(self, into: Path, *, jobs: int, progress: Progress) -> None:
        maven = find_tool("mvn", f"it is fetched with Maven, and there is no `mvn` on the PATH {_INSTALL}")
        goal = [f"{_PLUGIN}:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={into / JARS}"]
        threads = f"-Dmaven.artifact.threads={jobs}"
        command = [maven, "--batch-mode", "--file", str(SOURCE / _POM), threads, *goal]
        fetched = copied = 0
        with lines_of(command, name="mvn", folder=into, environ=os.environ, explains=_explains) as lines:
            for line in lines:
                fetched += "Downloaded from" in line
                copied += "Copying " in line
                progress.at(f"{fetched} files fetched, {copied} jars in place")


def find_java() -> str:
    """Where Java is. Raises CannotPrepareError."""
    return find_tool("java", f"it runs on Java, and there is no `java` on the PATH {_INSTALL}")


def _compile(into: Path) -> None:
    compiler = find_tool("javac", f"it is compiled with Java's `javac`, which is not on the PATH {_INSTALL}")
    paths = ["-cp", f"{into / JARS}/*", "-d", str(into / CLASSES)]
    command = [compiler, "--release", str(_OLDEST_JAVA), *paths, str(SOURCE / _JAVA_SOURCE)]
    with lines_of(command, name="javac", folder=into, environ=os.environ, explains=bool) as lines:
        deque(lines, maxlen=0)


def _java_version() -> str:
    """What Java says of its version. Raises CannotPrepareError where it is missing or too old."""
    ran = run([find_java(), "-version"])
    said = ran.stderr + ran.stdout
    version = _VERSION.search(said)
    if ran.returncode != 0 or version is None:
        raise CannotPrepareError(f"`java -version` ended with {ran.returncode}: {said.strip()}")
    if int(version["major"]) < _OLDEST_JAVA:
        raise CannotPrepareError(f"it runs on Java {_OLDEST_JAVA} or later; `java` is {version['major']} {_INSTALL}")
    return said


def _explains(line: str) -> bool:
    return line.startswith(("[ERROR]", "[FATAL]", "[WARNING]"))
