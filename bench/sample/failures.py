"""Sample rules of every kind in the style of the shipped file, and failed containers that leave 1 KiB of text.

Nine in ten of the patterns that ship, in ``config/packs``, name alternatives. The samples are simpler: a third hold in
any case and a quarter name alternatives, so that the loop in Go takes about what Armada's own classifier was measured
to take, 0.6 ms a failure with 100 rules and 3 ms with 500.
"""

from random import Random

from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.registry import CategoryMatcher
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Pattern
from agent.core.classify.rules import Category, Matcher, Rule, RuleSet
from agent.core.evidence import Container, ContainerKind, ContainerState, Event, Evidence, Pod, StateKind

MESSAGE_BYTES = 1024
HIT_EVERY = 7
"""One message in this many has what some rule looks for; real messages mostly match nothing."""

_PARTS = (
    "CUDA NCCL NVLink Xid ECC cuDNN cuBLAS driver allocator device checkpoint dataset loader shard optimizer tensor "
    "Lustre NFS CVMFS object bucket volume mount inode registry manifest layer digest scheduler quota license token "
    "certificate proxy sidecar resolver socket endpoint gateway broker consumer partition offset schema migration heap "
    "stack thread mutex segment page swap cgroup namespace seccomp capability secret configmap kernel watchdog firmware"
)
PARTS = tuple(_PARTS.split())
_PROBLEMS = (
    "out of memory,connection refused,no such file or directory,permission denied,timed out,checksum mismatch,"
    "is not ready,was reset by peer,has been revoked,not found,already in use,exceeded its limit,invalid argument,"
    "unexpected end of file,stale handle,too many requests,is read-only,fell off the bus,cannot be parsed,lost quorum"
)
PROBLEMS = tuple(_PROBLEMS.split(","))
_FILLER = (
    "INFO step loss lr epoch batch worker rank node starting finished loading writing reading cache hit miss from to "
    "with the a of in at after before retry attempt seconds bytes gradient norm throughput samples saved restored"
)
FILLER = tuple(_FILLER.split())


def rule_set(number: int, *, seed: int) -> RuleSet:
    """This many categories of one rule each; of every ten rules seven look at the termination message."""
    random = Random(seed)
    return RuleSet(
        categories=tuple(
            Category(name=f"category_{index}", rules=(Rule(matcher=_matcher(random, index), subcategory="leaf"),))
            for index in range(number)
        ),
        default_category="uncategorized",
        revision="bench",
    )


def evidences(number: int, *, rules: RuleSet, seed: int) -> list[Evidence]:
    """This many failed pods of one container; about one in ``HIT_EVERY`` is for one of the rules."""
    random = Random(seed)
    hits = [text for category in rules.categories for rule in category.rules if (text := _hit(rule.matcher))]
    return [_evidence(random, random.choice(hits) if index % HIT_EVERY == 0 else "") for index in range(number)]


def _matcher(random: Random, index: int) -> CategoryMatcher:
    pattern = Pattern(text=_pattern(random))
    if index % 10 == 0:
        return PodError(pattern=pattern)
    if index % 10 == 1:
        return PodEvents(type="Warning", pattern=pattern, reason="Failed")
    if index % 20 == 2:
        return Conditions(names=("Evicted", "DeadlineExceeded"))
    if index % 20 == 12:
        return ExitCodes(operator=Operator.IN, values=frozenset({150 + index % 50}))
    return TerminationMessage(pattern=pattern)


def _pattern(random: Random) -> str:
    """A phrase; or two with ``.*`` between; or either of two phrases; or one in any case."""
    shape = random.random()
    if shape < 0.25:
        return ".*".join(_phrase(random))
    if shape < 0.5:
        return "|".join(" ".join(_phrase(random)) for _ in range(2))
    return f"{'(?i)' if shape < 0.85 else ''}{' '.join(_phrase(random))}"


def _phrase(random: Random) -> tuple[str, str]:
    return " ".join(random.sample(PARTS, 2)), random.choice(PROBLEMS)


def _hit(matcher: Matcher) -> str:
    """A text that the rule finds, if it looks at termination messages."""
    if not isinstance(matcher, TerminationMessage):
        return ""
    return matcher.pattern.text.removeprefix("(?i)").split("|")[0].replace(".*", " it ")


def _evidence(random: Random, hit: str) -> Evidence:
    message = _message(random, hit)
    ended = ContainerState(kind=StateKind.TERMINATED, reason="Error", message=message, exit_code=1)
    main = Container(name="main", kind=ContainerKind.APP, state=ended, ended=ended)
    clean = ContainerState(kind=StateKind.TERMINATED, reason="Completed", exit_code=0)
    setup = Container(name="setup", kind=ContainerKind.INIT, state=clean, ended=clean)
    return Evidence(
        pod=Pod(phase="Failed", containers=(main, setup)),
        pod_error=f"Container main failed with exit code 1 because Error: {message}\n",
        events=(
            Event(reason="Failed", message=_line(random), type="Warning", component="kubelet"),
            Event(reason="Pulled", message=_line(random), type="Normal", component="kubelet"),
        ),
    )


def _message(random: Random, hit: str) -> str:
    lines: list[str] = []
    while sum(map(len, lines)) + len(lines) < MESSAGE_BYTES:
        lines.append(_line(random))
    text = "\n".join(lines)[: MESSAGE_BYTES - len(hit) - 1]
    return f"{text}\n{hit}" if hit else text.ljust(MESSAGE_BYTES)


def _line(random: Random) -> str:
    """A line of a log: mostly filler, at times with a word the rules use too."""
    words = [random.choice(FILLER) if random.random() < 0.9 else random.choice(PARTS) for _ in range(9)]
    return f"[{random.randrange(10**9)}] {' '.join(words)} {random.random():.4f}"
