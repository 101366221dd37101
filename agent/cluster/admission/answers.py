"""The decider: which conditions a failing pod gets, by the rules of the report and what is in memory now.

It asks the functions that the report asks (``observe``, the gatherer, the classifier), without logs and backtracking
searches. Nothing of a request is kept but which pod was given conditions, for the limit and the brake.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import structlog

from agent.cluster.admission.job_pods import Index, JobPods, index_of
from agent.cluster.admission.review import Answer, Review, added
from agent.cluster.config.rules import RulesInForce
from agent.cluster.evidence.case import Case, open_case
from agent.cluster.evidence.gather import EvidenceGatherer
from agent.cluster.evidence.log_tails import readable
from agent.core.admission.brake import Brake, BrakeLimits
from agent.core.admission.conditions import PodCondition, Withheld, conditions_of, withheld
from agent.core.admission.quoted import blames_by_quotes
from agent.core.evidence import Evidence
from agent.core.failure import Classification, Occurrence
from agent.core.identity.conditions import HOPELESS
from agent.core.summary.redaction import Redactor, redact
from agent.core.summary.summary import texts_of
from agent.kube import objects
from agent.kube.reflector.cache import Change
from agent.observe.deadlines import Deadlines
from agent.observe.occurrence import observe
from agent.observe.values import aware
from agent.telemetry import admission_metrics as metrics

_log = structlog.get_logger(__name__)

MOST_TEXT: Final = 256 << 10
"""Characters of spec and status, written out, that are read; more takes too long. A usual pod has some thousands."""

_MARK: Final = "DisruptionTarget"
_NO_DEADLINES: Final = Deadlines()
"""They are about pods that have not ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """What is given at most: conditions of a type for each index, and pods with conditions for the whole cluster."""

    per_index: int
    brake: BrakeLimits


class ConditionAnswers:
    """Fits ``review.Decider``. ``synced``: this process knows what it must know.

    ``logs`` are the namespaces whose logs the report reads; ``shadow``: it counts, and no pod gets a condition.
    """

    def __init__(  # noqa: PLR0913 - its collaborators; only wiring and tests put them together
        self,
        rules: RulesInForce,
        gatherer: EvidenceGatherer,
        pods: JobPods,
        *,
        caps: Caps,
        logs: Collection[str],
        synced: Callable[[], bool],
        clock: Callable[[], datetime],
        monotonic: Callable[[], float],
        shadow: bool,
    ) -> None:
        self._rules = rules
        self._gatherer = gatherer
        self._pods = pods
        self._caps = caps
        self._logs = logs
        self._synced = synced
        self._clock = clock
        self._monotonic = monotonic
        self._shadow = shadow
        self._brake = Brake()

    def use(self, rules: RulesInForce) -> None:
        """Decide by these rules from the next request on."""
        self._rules = rules

    def on_pod(self, change: Change[objects.Pod, None]) -> None:
        """Take what the watch reports: what other replicas gave counts, too."""
        now = self._monotonic()
        if self._pods.on_change(change, now=now) and self._synced():
            self._pull(now)
        self.measure()

    def measure(self) -> None:
        """Bring the gauge up to date."""
        metrics.STOPPED.set(self._brake.holds(self._monotonic()))

    def answer(self, review: Review) -> Answer:
        """The conditions that the pod gets, or why it gets none."""
        index = self._index(review)
        if isinstance(index, Withheld):
            return index
        decided = self.decide(review.new)
        if isinstance(decided, Withheld):
            return decided
        new = added(review, decided)
        return self._within_caps(review.new.metadata.uid or "", index, new) if new else Withheld.PRESENT

    def decide(self, pod: objects.Pod) -> Answer:
        """The conditions of a failing pod before any limit."""
        if len(repr((pod.spec, pod.status))) > MOST_TEXT:
            return Withheld.LATE
        case = self._case(pod)
        if case is None:
            return Withheld.NOT_FAILING
        # A device is named by events about pods that had it before, too.
        evidence = self._gatherer.gather(case, node_since=aware(pod.metadata.creationTimestamp))
        rules = self._rules
        early = rules.classifier.classify_early(evidence, logs=readable(case, self._logs))
        if (why := withheld(early.given)) is not None:
            return why
        if not early.settled:
            return Withheld.UNASKED
        if blames_by_quotes(rules.classifier, evidence, early.given):
            return Withheld.USER_TEXT
        given = _without_secrets(evidence, early.given, rules.redactor)
        return conditions_of(given, asking=rules.asking, redact=rules.redactor.redact)

    def shadowed(self, pod: objects.Pod) -> frozenset[str]:
        """What a failed pod would have got in shadow mode: the types, computed again and without limits."""
        if not self._shadow or index_of(pod) is None or _is_marked(pod) or pod.metadata.deletionTimestamp is not None:
            return frozenset()
        decided = self.decide(pod)
        return frozenset() if isinstance(decided, Withheld) else frozenset(condition.type for condition in decided)

    def _index(self, review: Review) -> Index | Withheld:
        """The index of the pod, as the watch knows it; or why the pod may have no conditions whatever the rules say."""
        pod = review.new
        refusals = (
            (not review.is_failure, Withheld.NOT_FAILING),
            (review.dry_run, Withheld.DRY_RUN),
            (pod.metadata.deletionTimestamp is not None, Withheld.DELETING),
            (index_of(pod) is None, Withheld.NO_JOB),
            (_is_marked(pod), Withheld.DISRUPTED),
            (not self._synced(), Withheld.NOT_SYNCED),
        )
        why = next((why for refused, why in refusals if refused), None)
        return why or self._pods.index(pod.metadata.uid or "") or Withheld.NOT_SYNCED

    def _case(self, pod: objects.Pod) -> Case | None:
        """The case of the pod's failure, as the report has it; ``None`` if it is none."""
        now = self._clock()
        known = self._gatherer.identities
        entry, occurred = observe(None, pod, deleted=False, now=now, deadlines=_NO_DEADLINES, identities=known)
        failed = [occurrence for occurrence in occurred if occurrence.occurrence is Occurrence.POD_FAILED]
        if not failed:
            return None
        case = open_case(failed[0], entry, pod, cluster_id="", observed_at=now)
        return replace(case, submitted=self._gatherer.submitted(pod))

    def _within_caps(self, uid: str, index: Index, conditions: Iterable[PodCondition]) -> Answer:
        now = self._monotonic()
        allowed = tuple(condition for condition in conditions if self._is_allowed(uid, index, condition, now))
        if not allowed:
            return Withheld.LIMIT
        if self._pods.given(uid) is None:
            self._pull(now)
        if self._brake.holds(now):
            return Withheld.BRAKE
        return self._counted(uid, allowed, now)

    def _counted(self, uid: str, conditions: tuple[PodCondition, ...], now: float) -> Answer:
        """Remember what the pod gets, or would get. In shadow mode the watch never shows it."""
        types = frozenset(condition.type for condition in conditions)
        if not self._shadow:
            self._pods.give(uid, types, now=now)
            return conditions
        self._pods.carry(uid, types, now=now)
        for kind in types:
            metrics.SHADOWED.labels(kind).inc()
        return Withheld.SHADOW

    def _is_allowed(self, uid: str, index: Index, condition: PodCondition, now: float) -> bool:
        """Whether the limit of the index allows it: a Job ends by ``Hopeless``, and may ignore all others."""
        if condition.type == HOPELESS:
            return True
        if self._pods.full:
            return False
        return self._pods.count(index, condition.type, without=uid, now=now) < self._caps.per_index

    def _pull(self, now: float) -> None:
        """Count one more pod with conditions; if there are too many, stop giving any and say so."""
        held = self._brake.holds(now)
        self._brake = self._brake.pulled(now, self._caps.brake)
        if self._brake.holds(now) and not held:
            limits = self._caps.brake
            _log.error(
                "too many pods of this cluster got a condition; none gets one for now, and Jobs count every failure",
                at_most=limits.at_most,
                seconds=limits.window,
                pause_seconds=limits.pause,
            )


def _without_secrets(evidence: Evidence, given: Classification, redactor: Redactor) -> Classification:
    """As the report has it: what a rule matched may be a secret that only its surroundings tell."""
    return redact(evidence, given, redactor)[1] if redactor.finds_in(texts_of(evidence, given)) else given


def _is_marked(pod: objects.Pod) -> bool:
    """Whether Kubernetes announced the end of the pod itself. A Job can act on that, and it stays what it is."""
    return any(condition.type == _MARK and condition.status == "True" for condition in pod.status.conditions or ())
