"""The path: watch line -> decoded -> observed -> classified -> summarised -> protobuf, on one core.

Beside it what one would write first (``bench/sample/peer.py``): the official client's watch and models, a loop over
``re`` patterns, the same kind of FailureInfo by constructors. Both keep the cluster's pods in memory, as a cluster
agent must: ours a pruned entry each, the peer its model, as the client's informer does. The peer of the target does
less than ours: it takes neither control characters nor secrets out of texts. Two more figures have no target:
``same_work_ratio`` beside a peer that does take them out, by ``re``, and ``bare_ratio`` beside one that keeps no pods
either.

``--against REF`` runs another revision of this repository in turns with ours, each in a process of its own. ``--quick``
does so with the one that we keep up with (``bench.peer.revision``), to which it is held instead of the target, and
takes under 40 s. ``--json`` prints one line of JSON last. Exits 1 below the target.
"""

import gc
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path as File
from statistics import median
from tempfile import TemporaryDirectory

import msgspec

from agent.cluster.evidence.events import EventCache
from agent.core.classify.classifier import compile_rules
from agent.core.classify.rules import RuleSet
from agent.core.summary.redaction import Redactor
from agent.core.summary.summary import summarise
from agent.kube import objects
from agent.kube.codec import Codec, ObjectEvent
from agent.observe.evidence import read_evidence
from agent.observe.injection import submission
from agent.observe.occurrence import Deadlines, PodEntry, observe
from agent.wire.failure import encode
from bench.peer.process import PeerFailed, PeerProcess
from bench.peer.revision import KEPT, THIS, NoRevision, Revision, unpacked
from bench.report.command import options, report, report_not_run
from bench.report.held import Held, at_least
from bench.sample import pods
from bench.sample.peer import as_it_is, naive, same_kind
from bench.sample.rules import hits, rule_set

TARGET = 17.0
RULES = 100
PODS, QUICK_PODS = 500, 150
ROUNDS, QUICK_ROUNDS = 15, 4
NOW = datetime(2026, 1, 3, tzinfo=UTC)
SEED = 20260101
_SUBJECT = File(__file__).parent / "subject" / "path.py"
_TURNS = 3
"""Turns of revisions for one of the peers, which take far longer."""

Path = Callable[[bytes], bytes]


def ours(rules: RuleSet, lines: Sequence[bytes]) -> Path:
    """Our path, everything that is done once per process or before a pod fails done."""
    classify = compile_rules(rules).classify
    redactor = Redactor()
    read = Codec(objects.Pod).read_event
    deadlines = Deadlines()
    known, entries = _running(read, lines, deadlines), dict[str, PodEntry]()
    recent = EventCache(things=1, age=timedelta(hours=1))
    for event in msgspec.convert(pods.events(3, seed=SEED), list[objects.Event]):
        recent.put(event, now=NOW)
    node = msgspec.convert(pods.node(), objects.Node)

    def path(line: bytes) -> bytes:
        pod = _pod(read(line))
        entry, (occurred,) = observe(known[str(pod.metadata.uid)], pod, deleted=False, now=NOW, deadlines=deadlines)
        entries[entry.reference.uid] = entry
        submitted = submission(pod)
        evidence = read_evidence(
            pod,
            occurrence=occurred.occurrence,
            events=recent.about_pod(pods.EVENTS_OF),
            node=node,
            submitted=submitted,
        )
        failure = summarise(
            evidence, classify(evidence), occurrence=occurred.occurrence, submitted=submitted, redactor=redactor
        )
        return encode(failure)

    return path


def _pod(seen: object) -> objects.Pod:
    if not isinstance(seen, ObjectEvent) or not isinstance(seen.object, objects.Pod):
        raise TypeError("a sample line is not a pod")
    return seen.object


def _running(read: Callable[[bytes], object], lines: Sequence[bytes], deadlines: Deadlines) -> dict[str, PodEntry]:
    """The entries of running pods."""
    kept = {}
    for line in lines:
        pod = _pod(read(line))
        running = msgspec.structs.replace(pod, status=objects.PodStatus(phase="Running"))
        entry, _ = observe(None, running, deleted=False, now=NOW, deadlines=deadlines)
        kept[entry.reference.uid] = entry
    return kept


def _seconds(path: Path, lines: Sequence[bytes]) -> float:
    gc.collect()
    started = time.process_time()
    for line in lines:
        path(line)
    return (time.process_time() - started) / len(lines)


def measure(*, rounds: int, number: int) -> dict[str, float]:
    """Failures a second on one core, of so many pods, all paths in turns; medians over the rounds."""
    rules = rule_set(RULES, seed=SEED)
    lines = pods.watch_lines(number, hits=hits(rules), seed=SEED)
    paths = {
        "ours": ours(rules, lines),
        "naive": naive(rules, seed=SEED, keeps_pods=True, clean=as_it_is),
        "same_work": naive(rules, seed=SEED, keeps_pods=True, clean=same_kind),
        "bare": naive(rules, seed=SEED, keeps_pods=False, clean=as_it_is),
    }
    spent: dict[str, list[float]] = {name: [] for name in paths}
    for _ in range(rounds + 1):
        for name, path in paths.items():
            spent[name].append(_seconds(path, lines))
    per_s = {name: 1 / median(times[1:]) for name, times in spent.items()}
    return {
        "ours_per_s": round(per_s["ours"]),
        "naive_per_s": round(per_s["naive"]),
        "ratio": round(per_s["ours"] / per_s["naive"], 1),
        "same_work_ratio": round(per_s["ours"] / per_s["same_work"], 1),
        "bare_ratio": round(per_s["ours"] / per_s["bare"], 1),
    }


def against(name: str, *, rounds: int, number: int) -> float:
    """How many times as fast we are as another revision: the median over turns. Raises NoRevision and PeerFailed.

    Ratios are taken within a turn: a machine that is slower for some turns is so for both.
    """
    with ExitStack() as running:
        runners = [running.enter_context(_runner(of, number)) for of in (THIS, running.enter_context(unpacked(name)))]
        turns = [[float(runner.ask("")) for runner in runners] for _ in range(rounds + 1)][1:]
    return round(median(theirs_each / ours_each for ours_each, theirs_each in turns), 2)


@contextmanager
def _runner(revision: Revision, number: int) -> Iterator[PeerProcess]:
    """The path of a revision in a process; it is measured by the program of this tree. Raises NoRevision."""
    if not (revision.tree / "bench" / "path.py").is_file():
        raise NoRevision(f"{revision.name} has no path to measure")
    with TemporaryDirectory(prefix="bench-") as home:
        environment = revision.environment(File(home))
        arguments = ["-P", str(_SUBJECT), str(number)]  # its folder has an agent, too
        with PeerProcess(File(sys.executable), arguments, folder=File(home), env=environment) as runner:
            yield runner


def verdicts(figures: Mapping[str, float]) -> list[Held]:
    """What is held to the target."""
    return [at_least("ours beside naive", figures["ratio"], target=TARGET)]


def quick_verdicts(figures: Mapping[str, float]) -> list[Held]:
    """What the quick form is held to."""
    return [at_least(f"ours beside {KEPT}", figures[KEPT], target=1.0)]


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the target is met."""
    parser = options(__doc__, quick="fewer pods and rounds")
    parser.add_argument("--against", action="append", default=[], metavar="REF", help="another revision of ours")
    given = parser.parse_args(arguments)
    rounds, number = (QUICK_ROUNDS, QUICK_PODS) if given.quick else (ROUNDS, PODS)
    others = [KEPT, *given.against] if given.quick else given.against
    try:
        beside = {name: against(name, rounds=_TURNS * rounds, number=number) for name in others}
    except (NoRevision, PeerFailed) as why:
        return report_not_run(why, given=given)
    figures = measure(rounds=rounds, number=number) | beside
    print(f"ours {figures['ours_per_s']:,.0f}/s, naive {figures['naive_per_s']:,.0f}/s: {figures['ratio']} times")
    print(f"beside a peer that cleans texts as ours does: {figures['same_work_ratio']}")
    print(f"beside one that keeps no pods either: {figures['bare_ratio']}")
    for name, ratio in beside.items():
        print(f"beside {name}: {ratio}")
    return report((quick_verdicts if given.quick else verdicts)(figures), figures, given=given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
