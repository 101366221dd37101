"""``failctl`` of a revision at work on one failed pod, as processes whose processor time is taken."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from agent.broker.port import Message
from agent.wire.failure import decode
from bench.path import RULES, SEED, ours
from bench.peer.child import CommandFailed, ended
from bench.peer.revision import Revision
from bench.peer.scheduler import SchedulerFailed, started
from bench.sample.events import failures
from bench.sample.pods import watch_lines
from bench.sample.rules import hits, rule_set

PASS, HELP, AGENT = "python -c pass", "failctl --help", "rules of an agent"
CLASSIFY, GET, EXPLAIN = "classify -f", "get, on a store", "explain, on a store"
GET_BY_API, EXPLAIN_BY_API = "get, by the API", "explain, by the API"
ALL: Final = (PASS, HELP, CLASSIFY, GET, EXPLAIN, GET_BY_API, EXPLAIN_BY_API, AGENT)

_JOB: Final = "job-00000000"
_FAILCTL: Final = (sys.executable, "-c", "from agent.ctl.main import main; main()")
_READ_RULES: Final = Path(__file__).parents[1] / "subject" / "rules.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """A revision, and the commands by which it is measured."""

    revision: Revision
    commands: Mapping[str, Sequence[str]]
    folder: Path

    def seconds(self, name: str) -> float:
        """Processor time of a command, or the time that it prints. Raises CommandFailed."""
        done = ended(self.commands[name], env=self.revision.environment(self.folder), folder=self.folder)
        return float(done.printed) if name == AGENT else done.seconds


@contextmanager
def ready(revision: Revision) -> Iterator[Contestant]:
    """A contestant that ran each command once, so that it is compiled; what it cannot run is left out, which is said.

    Its scheduler ends with the context.
    """
    rules = rule_set(RULES, seed=SEED)
    (line,) = watch_lines(1, hits=hits(rules), seed=SEED)
    (failure,) = failures(1, [decode(ours(rules, [line])(line))])
    with TemporaryDirectory(prefix="bench-") as name, ExitStack() as running:
        folder = Path(name)
        pod = folder / "pod.json"
        pod.write_text(json.dumps(json.loads(line)["object"]), encoding="utf-8")
        all_of_it = _alone(pod) | _asking(revision, failure, folder, running)
        tried = Contestant(revision=revision, commands=all_of_it, folder=folder)
        able = {name: command for name, command in all_of_it.items() if _is_able(tried, name)}
        yield replace(tried, commands=able)


def _alone(pod: Path) -> dict[str, Sequence[str]]:
    return {
        PASS: (sys.executable, "-c", "pass"),
        HELP: (*_FAILCTL, "--help"),
        CLASSIFY: (*_FAILCTL, "classify", "-f", str(pod)),
        AGENT: (sys.executable, "-P", str(_READ_RULES)),  # its folder has an agent, too
    }


def _asking(revision: Revision, failure: Message, folder: Path, running: ExitStack) -> dict[str, Sequence[str]]:
    """The commands that ask a store, and a scheduler over it, which is started."""
    try:
        there = running.enter_context(started(revision, failure, folder=folder))
    except SchedulerFailed as why:
        print(f"{revision.name} has no scheduler to ask: {why}")
        return {}
    store, api = ("--store", there.store_url), ("--server", there.address)
    return {
        GET: (*_FAILCTL, "get", "jobs", *store),
        EXPLAIN: (*_FAILCTL, "explain", _JOB, *store),
        GET_BY_API: (*_FAILCTL, "get", "jobs", *api),
        EXPLAIN_BY_API: (*_FAILCTL, "explain", _JOB, *api),
    }


def _is_able(contestant: Contestant, name: str) -> bool:
    try:
        contestant.seconds(name)
    except CommandFailed as why:
        print(f"{contestant.revision.name} cannot run {name}: {why}")
        return False
    return True
