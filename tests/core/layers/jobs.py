"""Jobs, failed pod after failed pod until they end."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from agent.core.error_table.answer import TableAnswer
from agent.core.history import History
from agent.core.job.counters import open_job
from agent.core.job.decide import JobCase, JobOutcome, JobVerdict, decide_job
from agent.core.job.defaults import defaulted
from agent.core.job.explanation import explain
from agent.core.job.outcome import PodEnding, apply_outcome, begin
from agent.core.job.play import Play
from agent.core.job.reading import read_spec
from agent.core.job.words import JobSpec
from tests.core.error_table.drawn import NOW
from tests.core.layers.drawn import Blow, Ours, Row, Workload
from tests.core.layers.outcome import Outcome, Policies, Table, forbidding


@dataclass
class Lineages:
    """What outlives a Job that its JobSet makes anew: the runs of each index, and what was granted to them."""

    ours: Ours
    tables: dict[str, Table] = field(default_factory=dict)
    policies: dict[str, Policies] = field(default_factory=dict)
    histories: defaultdict[str, History] = field(default_factory=lambda: defaultdict(History))

    def table(self, name: str) -> Table:
        """The error table as it is asked about a lineage."""
        return self.tables.setdefault(name, Table(self.ours))

    def asked(self, name: str) -> Policies:
        """The retry policies as they are asked about a lineage."""
        cap = self.ours.settings.global_max_retries
        return self.policies.setdefault(name, Policies(self.ours.policies, cap))


@dataclass
class Course:
    """One Job: its failures counted as Kubernetes counts them."""

    name: str
    written: Row
    lineages: Lineages
    failures: Counter[int] = field(default_factory=Counter)
    counted: int = 0
    failed: set[int] = field(default_factory=set)

    @cached_property
    def spec(self) -> JobSpec:
        """The spec, with its defaults."""
        return defaulted(read_spec(self.written))

    @property
    def per_index(self) -> bool:
        """Whether failures are limited per index."""
        return "backoffLimitPerIndex" in self.written

    def index(self, blow: Blow) -> int | None:
        """The index that is struck, of those that have not failed; ``None`` where there are none."""
        if not self.spec.indexed:
            return None
        living = [index for index in range(self.written["completions"]) if index not in self.failed]
        return living[blow.place % len(living)]

    def strike(self, blow: Blow) -> tuple[Outcome, JobVerdict, TableAnswer]:
        """Let a pod fail, and decide."""
        index = self.index(blow)
        lineage = self.name if index is None else f"{self.name}-{index}"
        said = self.lineages.table(lineage).ask(blow)
        verdict = self._decided(blow, index, lineage, said)
        unadvised = self._decided(replace(blow, advice=None), index, lineage, said)
        assert unadvised == verdict, "a category's advice decided"
        outcome = self._outcome(blow, index, lineage, verdict, said)
        history = self.lineages.histories[lineage]
        self.lineages.histories[lineage] = history.followed_by(verdict.rule_key, past=verdict.past)
        if verdict.action != "Ignore":
            self.counted += 1
            self.failures[index or 0] += 1
        if verdict.outcome is JobOutcome.FAIL_INDEX:
            self.failed.add(index or 0)
        return outcome, verdict, said

    def _decided(self, blow: Blow, index: int | None, lineage: str, said: TableAnswer) -> JobVerdict:
        ours = self.lineages.ours
        case = JobCase(
            spec=self.spec,
            pod=blow.pod(index, failures=self.failures[index or 0] if self.per_index else 0),
            failure=blow.failure(),
            rules=ours.job_rules,
            failed_before=self.counted,
            failed_indexes_before=len(self.failed),
            policies=ours.in_effect if ours.policies else None,
            table=said,
        )
        return decide_job(case, history=self.lineages.histories[lineage], settings=ours.settings)

    def _outcome(self, blow: Blow, index: int | None, lineage: str, verdict: JobVerdict, said: TableAnswer) -> Outcome:
        retries = self.lineages.asked(lineage)
        is_capped = retries.capped
        action, decider, forbade = self._layers(blow, lineage, granted=verdict.outcome is JobOutcome.RETRY)
        forbade += forbidding(said)
        counts = action != "Ignore"
        over = counts and self.counted + 1 > self.written.get("backoffLimit", 2**31 - 1 if self.per_index else 6)
        forbade += ("backoffLimit",) if over else ()
        if counts and self.per_index and self.failures[index or 0] >= self.written["backoffLimitPerIndex"]:
            forbade += ("backoffLimitPerIndex",)
        wants = action not in ("FailJob", "FailIndex")
        if wants and is_capped and "globalMaxRetries" not in forbade:
            forbade += ("globalMaxRetries",)
        expected = JobOutcome.RETRY if wants and not forbade else JobOutcome.FAIL_JOB
        if expected is not JobOutcome.RETRY and self.per_index and action != "FailJob" and not over:
            most = self.written.get("maxFailedIndexes", len(self.failed) + 1)
            expected = JobOutcome.FAIL_INDEX if len(self.failed) + 1 <= most else JobOutcome.FAIL_JOB
            forbade += ("maxFailedIndexes",) if expected is JobOutcome.FAIL_JOB else ()
        granted = verdict.outcome is JobOutcome.RETRY
        retries.others += granted and verdict.rule_key is None
        return Outcome(wants, granted, decider, forbade, "\n".join(explain(verdict)), verdict.outcome, expected)

    def _layers(self, blow: Blow, lineage: str, *, granted: bool) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        """The action of the first with an opinion, who that is, and what forbids it of the retry policies."""
        ours = self.lineages.ours
        for place, rule in enumerate(self.written.get("podFailurePolicy", {}).get("rules", ())):
            if blow.code in rule["onExitCodes"]["values"] if "onExitCodes" in rule else blow.preempted:
                return rule["action"], (f"podFailurePolicy rule at index {place}",), ()
        for number, ours_too in enumerate(ours.job_rules, start=1):
            if ours_too.category == blow.category:
                return ours_too.action, (f"rule {number} {ours_too.name} of the Job",), ()
        if ours.policies and ours.settings.enabled:
            asked = self.lineages.asked(lineage)
            said = asked.ask(blow)
            if said.by_rule:
                if granted:
                    asked.grant(said)
                fails = "FailIndex" if self.per_index else "FailJob"
                return ("Count", said.decider, said.forbade) if said.wants else (fails, said.decider, ())
        return "Count", ("default",), ()


def course(of: Workload) -> Iterator[Outcome]:
    """Decide one failed pod after the other until the Job ends."""
    job = Course("job", of.job, Lineages(of.ours))
    for (blow,) in of.course:
        outcome, verdict, _ = job.strike(blow)
        yield outcome
        if verdict.outcome is JobOutcome.FAIL_JOB or _all_failed(job):
            return


def kubernetes(of: Workload) -> Iterator[tuple[str, str]]:
    """What is decided on a Job with nothing of ours, beside what its step does, which equals the real controller's."""
    job = Course("job", of.job, Lineages(of.ours))
    play = Play(counters=open_job(job.spec), name="job", now=NOW)
    begin(play)
    for (blow,) in of.course:
        index = job.index(blow)
        _, verdict, _ = job.strike(blow)
        conditions = ("DisruptionTarget",) if blow.preempted else ()
        apply_outcome(play, PodEnding(index=index, exit_code=blow.code, conditions=conditions))
        ended = play.counters.status.finished
        done = JobOutcome.RETRY
        if index is not None and index in play.counters.failed:
            done = JobOutcome.FAIL_INDEX
        if ended is not None and ended.reason != "FailedIndexes":
            done = JobOutcome.FAIL_JOB
        yield verdict.outcome, done
        if ended is not None or verdict.outcome is JobOutcome.FAIL_JOB:
            return


def _all_failed(job: Course) -> bool:
    return job.per_index and len(job.failed) == job.written["completions"]
