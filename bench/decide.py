"""Decisions: verdicts a second, by size of the policies and length of the history, in turns.

``--quick`` takes fewer rounds; ``--json`` prints one line of JSON last. Exits 1 below a target.
"""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median

from agent.core.classify.matchers.category import Category, FailureCategory
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.registry import Matcher
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Pattern
from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.evidence import Condition, Container, ContainerKind, ContainerState, Pod, StateKind
from agent.core.failure import Classification, Failure, Occurrence, Origin, UserCode
from agent.core.history import FailedOn, History, Past
from agent.core.limit import Charge
from agent.core.retry.choices import Action
from agent.core.retry.compiled import compile_policy
from agent.core.retry.effective import InEffect, in_effect
from agent.core.retry.policy import BackoffPolicy, RetryPolicy, RetrySettings, Rule
from agent.core.run import RunFacts
from bench.report.command import options, report
from bench.report.held import Held, at_most

SIZES = ((1, 5), (100, 20))
LENGTHS = (0, 20, 1000)
ROUNDS, QUICK_ROUNDS = 120, 80
VERDICTS = {(1, 5): 400, (100, 20): 4}
MOST_US = 20.0
"""What a verdict may cost at one policy of five rules; rounds that cost more were shared with other programs."""
MOST_GROWTH = 1.25
"""A history of 1,000 runs may cost so many times what an empty one costs."""

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RUN = RunFacts(lineage="job", node="node-7", grace_period=timedelta(seconds=30))
SETTINGS = RetrySettings(enabled=True, global_max_retries=10**6)

Figures = Mapping[tuple[int, int, int], float]


def _matchers(number: int) -> Sequence[Matcher]:
    """The five kinds of matchers of armadaproject/armada#4683; those of this number match nothing that fails here."""
    return (
        Conditions(names=("Preempted", "Evicted")),
        ExitCodes(operator=Operator.IN, values=frozenset({200 + number % 50, 143})),
        TerminationMessage(pattern=Pattern(text=f"(?i)nccl error {number}|link {number} down")),
        FailureCategory(names=(f"cuda_{number}", f"infiniband_{number}")),
        Category(category=f"storage_{number}"),
    )


def policies(count: int, rules: int) -> InEffect:
    """``count`` policies of ``rules`` rules each; only the last rule of the last matches the failure."""
    made = []
    for number in range(count):
        matchers = [matcher for block in range(rules // 5) for matcher in _matchers(number * rules + block)]
        if number == count - 1:
            matchers[-1] = Conditions(names=("OOMKilled",))
        made.append(
            RetryPolicy(
                name=f"policy-{number}",
                rules=tuple(Rule(matcher=matcher, action=Action.RETRY, retry_limit=10**6) for matcher in matchers),
                backoff=BackoffPolicy(initial=timedelta(seconds=10), maximum=timedelta(minutes=5), multiplier=2.0),
            )
        )
    return in_effect([compile_policy(policy) for policy in made])


def failure() -> Failure:
    """Two containers; the first was killed for memory and left a message."""
    killed = ContainerState(
        kind=StateKind.TERMINATED, exit_code=137, reason="OOMKilled", message="Traceback: epoch 7, step 1000"
    )
    done = ContainerState(kind=StateKind.TERMINATED, exit_code=0, reason="Completed")
    return Failure(
        occurrence=Occurrence.POD_FAILED,
        classification=Classification(category="oom", origin=Origin.USER, matched=True, categories=("oom",)),
        user_code=UserCode(ran=True),
        pod=Pod(
            phase="Failed",
            conditions=tuple(Condition(type=name, status="True") for name in ("PodScheduled", "Ready", "Initialized")),
            containers=(
                Container(name="main", kind=ContainerKind.APP, state=killed, ended=killed),
                Container(name="log", kind=ContainerKind.APP, state=done, ended=done),
            ),
        ),
    )


def history(runs: int) -> History:
    """The counts after so many retries, each after a failure on a node of its own."""
    made = History()
    for number in range(runs):
        at = FailedOn(node=f"node-{number}", at=NOW)
        made = made.followed_by(f"policy-0/{number % 5}", past=Past(charge=Charge.OOM, failed_on=at))
    return made


@dataclass(frozen=True)
class Contest:
    """One size and one length, ready to be timed."""

    size: tuple[int, int]
    runs: int
    judge: Callable[[], Verdict]

    def microseconds(self) -> float:
        """What a verdict costs of the processor, whatever else the machine does."""
        judge, count = self.judge, VERDICTS[self.size]
        started = time.process_time()
        for _ in range(count):
            judge()
        return (time.process_time() - started) / count * 1e6


def contest(size: tuple[int, int], runs: int) -> Contest:
    """The failure, the policies and the history of one contest."""
    seen, known, effective = failure(), history(runs), policies(*size)

    def judge() -> Verdict:
        return decide(seen, run=RUN, history=known, policies=effective, settings=SETTINGS, now=NOW)

    if judge().granted_under is None:
        raise RuntimeError("the failure is to be retried")
    return Contest(size=size, runs=runs, judge=judge)


def measure(rounds: int) -> list[Figures]:
    """The figures of each round; in a round all contests take turns."""
    contests = [contest(size, runs) for size in SIZES for runs in LENGTHS]
    return [{(*contest.size, contest.runs): contest.microseconds() for contest in contests} for _ in range(rounds)]


def medians(rounds: Sequence[Figures]) -> dict[tuple[int, int, int], float]:
    """The median of each figure over the rounds."""
    return {key: round(median(figures[key] for figures in rounds), 2) for key in rounds[0]}


def table(figures: Figures) -> str:
    """The figures for people."""
    rows = [f"{'policies x rules':>18}{'runs before':>14}{'us a verdict':>14}{'verdicts/s':>14}"]
    for (count, rules, runs), cost in figures.items():
        rows.append(f"{f'{count} x {rules}':>18}{runs:>14}{cost:>14.1f}{1e6 / cost:>14,.0f}")
    return "\n".join(rows)


def verdicts(rounds: Sequence[Figures]) -> list[Held]:
    """What is held to targets; ratios are taken within a round, where the machine is the same."""
    cost = min(figures[*SIZES[0], LENGTHS[-2]] for figures in rounds)
    held = [at_most("a verdict at 1 x 5, in the best round", cost, target=MOST_US, unit="us")]
    for size in SIZES:
        growth = median(figures[*size, LENGTHS[-1]] / figures[*size, LENGTHS[0]] for figures in rounds)
        name = f"{LENGTHS[-1]} runs before beside none, {size[0]} x {size[1]}"
        held.append(at_most(name, growth, target=MOST_GROWTH))
    return held


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    given = options(__doc__, quick="fewer rounds").parse_args(arguments)
    rounds = measure(QUICK_ROUNDS if given.quick else ROUNDS)
    figures = medians(rounds)
    print(table(figures))
    return report(
        verdicts(rounds), {"us": {"x".join(map(str, key)): cost for key, cost in figures.items()}}, given=given
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
