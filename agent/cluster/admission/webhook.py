"""The webhook as settings ask for it: what decides, and what serves."""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Final

from agent.cluster.admission.answers import Caps, ConditionAnswers
from agent.cluster.admission.job_pods import JobPods
from agent.cluster.admission.server import AdmissionServer
from agent.cluster.config.rules import RulesInForce
from agent.cluster.evidence.gather import EvidenceGatherer
from agent.core.admission.brake import BrakeLimits
from agent.settings.admission import AdmissionSettings
from agent.settings.cluster import ClusterSettings

_MOST_CONDITIONS: Final = 100_000
"""Pods with conditions that are remembered: more than API servers keep of pods that ended."""


def make_answers(
    settings: ClusterSettings, rules: RulesInForce, gatherer: EvidenceGatherer, *, clock: Callable[[], datetime]
) -> ConditionAnswers | None:
    """The decider of these settings; ``None`` if they have no webhook."""
    if settings.admission is None:
        return None
    return ConditionAnswers(
        rules,
        gatherer,
        JobPods(age=settings.bounds.event_age.total_seconds(), at_most=_MOST_CONDITIONS),
        caps=_caps(settings.admission),
        logs=settings.log_tails.namespaces,
        synced=lambda: gatherer.complete,
        clock=clock,
        monotonic=time.monotonic,
        shadow=settings.admission.shadow,
    )


def open_server(
    settings: ClusterSettings, answers: ConditionAnswers | None, *, clock: Callable[[], datetime]
) -> AdmissionServer | None:
    """Open the port of the webhook, if there is one.

    Raises ConfigError where the certificate cannot be used, and OSError where the port cannot be opened.
    """
    if settings.admission is None or answers is None:
        return None
    return AdmissionServer(settings.admission, answers, clock=clock, reload=settings.reload)


def _caps(settings: AdmissionSettings) -> Caps:
    brake = settings.brake
    limits = BrakeLimits(at_most=brake.at_most, window=brake.window.total_seconds(), pause=brake.pause.total_seconds())
    return Caps(per_index=settings.per_index, brake=limits)
