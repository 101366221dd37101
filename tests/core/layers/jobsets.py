"""JobSets above Jobs: a pod fails, its Job decides; a Job fails, its JobSet decides."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from agent.core.job.decide import JobOutcome, JobVerdict
from agent.core.jobset.child import FailedJob
from agent.core.jobset.choices import Choices
from agent.core.jobset.decide import ParentOutcome, ParentVerdict, explain
from agent.core.jobset.limits import of_table
from agent.core.jobset.lineage import Restarts
from agent.core.jobset.manifest import JobSetMemory
from agent.core.jobset.play import JobSetPlay
from tests.core.jobset.made import NOW, jobset, play
from tests.core.jobset.upstream import is_about, upstream
from tests.core.layers.drawn import JOBS, Blow, Ours, Workload
from tests.core.layers.jobs import Course, Lineages
from tests.core.layers.outcome import Outcome, forbidding

COUNTED = ("RestartJobSet", "RestartJob")
ALONE = ("RestartJob", "RestartJobAndIgnoreMaxRestarts")
NAMES = tuple(f"js-{name}-{index}" for name, count in JOBS.items() for index in range(count))


@dataclass
class Parent:
    """A JobSet with its Jobs, and the restarts that each layer has seen."""

    of: Workload
    play: JobSetPlay
    lineages: Lineages
    jobs: dict[str, Course] = field(default_factory=dict)
    granted: Counter[tuple[str, str]] = field(default_factory=Counter)

    def job(self, name: str) -> Course:
        """The Job of this name, as it is now."""
        return self.jobs.setdefault(name, Course(name, self.of.job, self.lineages))

    @property
    def counted(self) -> int:
        """The restarts that count towards ``maxRestarts``."""
        before = self.of.ours.restarted_before
        return before + sum(count for (action, _), count in self.granted.items() if action in COUNTED)

    def fail(self, name: str, reason: str) -> ParentVerdict:
        """Let a Job fail, and return what its JobSet decides."""
        steps = [turn.step for turn in self.play.fail(name, reason=reason)]
        (verdict,) = [step.verdict for step in steps if step.verdict is not None]
        if verdict.outcome is ParentOutcome.RESTART_JOB_SET:
            self.jobs.clear()
        elif verdict.outcome is ParentOutcome.RESTART_JOB:
            del self.jobs[name]
        return verdict


def course(of: Workload) -> Iterator[Outcome]:
    """Decide one failed pod after the other until the JobSet ends."""
    parent = _begun(of)
    for name, blow in _targets(of):
        outcome, verdict, said = parent.job(name).strike(blow)
        yield outcome
        reason = _reason(parent.job(name), verdict)
        if not reason:
            continue
        parent.play.others = {**parent.play.others, name: of_table(said, job=name)}
        action, decider, forbade = _layers(parent, name, reason)
        decided = parent.fail(name, reason)
        granted = decided.outcome is not ParentOutcome.FAIL_JOB_SET
        if granted:
            parent.granted[action, _replicated(name)] += 1
        restarts = ParentOutcome.RESTART_JOB if action in ALONE else ParentOutcome.RESTART_JOB_SET
        forbade += forbidding(said)
        wants = action != "FailJobSet"
        expected = restarts if wants and not forbade else ParentOutcome.FAIL_JOB_SET
        yield Outcome(wants, granted, decider, forbade, "\n".join(explain(decided)), decided.outcome, expected)
        if not granted:
            return


def as_jobset(of: Workload) -> Iterator[tuple[tuple[str, str, str], tuple[str, str, str]]]:
    """What is decided on a JobSet with nothing of ours, beside JobSet's own decision."""
    parent = _begun(of)
    for name, blow in _targets(of):
        _, verdict, _ = parent.job(name).strike(blow)
        reason = _reason(parent.job(name), verdict)
        if not reason:
            continue
        failed = _failed(name, reason)
        decided = parent.fail(name, reason)
        yield (decided.outcome, decided.reason, decided.job.name), upstream(of.policy, [failed], parent.counted)
        if decided.outcome is ParentOutcome.FAIL_JOB_SET:
            return
        parent.granted[decided.proposal.action, _replicated(name)] += 1


def _begun(of: Workload) -> Parent:
    ours = of.ours
    made = play(jobset(of.policy, replicas=JOBS, choices=Choices(budgets=ours.budgets)))
    made.stopped = ours.stopped
    made.memory = JobSetMemory(before=Restarts(counted=ours.restarted_before))
    return Parent(of, made, Lineages(ours))


def _targets(of: Workload) -> Iterator[tuple[str, Blow]]:
    for number, (blow,) in enumerate(of.course):
        yield NAMES[(blow.place + number) % len(NAMES)], blow


def _reason(job: Course, verdict: JobVerdict) -> str:
    """Why a Job failed, in Kubernetes' words; empty where it goes on."""
    if verdict.outcome is JobOutcome.FAIL_JOB:
        limits = [limit.name for limit in verdict.limits if not limit.allowed]
        if verdict.action == "FailJob":
            return "PodFailurePolicy"
        return "MaxFailedIndexesExceeded" if "maxFailedIndexes" in limits else "BackoffLimitExceeded"
    return "FailedIndexes" if job.per_index and len(job.failed) == job.written["completions"] else ""


def _replicated(name: str) -> str:
    return name.split("-")[1]


def _failed(name: str, reason: str) -> FailedJob:
    labels = {"jobset.sigs.k8s.io/replicatedjob-name": _replicated(name)}
    return FailedJob(name=name, labels=labels, reason=reason, at=NOW)


def _layers(parent: Parent, name: str, reason: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The action that the failure policy wants, who that is, and what forbids it."""
    policy, ours = parent.of.policy, parent.of.ours
    if policy is None:
        action, decider = "FailJobSet", "default without a failurePolicy"
    else:
        rules = enumerate(policy["rules"])
        found = next(((at, rule) for at, rule in rules if is_about(rule, _failed(name, reason))), None)
        action = "RestartJobSet" if found is None else found[1]["action"]
        decider = "default of failurePolicy" if found is None else f"rule failurePolicyRule{found[0]} of failurePolicy"
    forbade: tuple[str, ...] = ("retries.stopped",) if ours.stopped else ()
    if policy is not None and action in COUNTED and parent.counted >= policy["maxRestarts"]:
        forbade += ("maxRestarts",)
    return action, (decider, action), (*forbade, *_budgets(parent, ours, action, _replicated(name)))


def _budgets(parent: Parent, ours: Ours, action: str, whose: str) -> Iterator[str]:
    for budget in ours.budgets:
        about = action != "FailJobSet" and budget.action in (None, action) and budget.replicated_job in (None, whose)
        used = sum(
            count
            for (did, for_whom), count in parent.granted.items()
            if budget.action in (None, did) and budget.replicated_job in (None, for_whom)
        )
        if about and used >= budget.limit:
            yield budget.words
