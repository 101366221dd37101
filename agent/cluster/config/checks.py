"""Pod checks and deadlines: converts settings to the values for ``agent.observe``."""

from agent.core.classify.pattern import compile_pattern
from agent.observe.checks.failed import FailedContainerCheck, FailedEventCheck, FailedPodChecks, FailedStatusCheck
from agent.observe.checks.pending import EventCheck, PendingPodChecks, WaitingCheck
from agent.observe.deadlines import Deadlines
from agent.settings.deadlines import DeadlineSettings
from agent.settings.pod_checks import FailedPodCheckSettings, PendingPodCheckSettings


def pending_pod_checks(settings: PendingPodCheckSettings) -> PendingPodChecks:
    return PendingPodChecks(
        events=tuple(
            EventCheck(
                pattern=compile_pattern(check.regexp),
                inverse=check.inverse,
                type=check.type.value,
                grace=check.grace_period,
                action=check.action,
            )
            for check in settings.events
        ),
        containers=tuple(
            WaitingCheck(
                name=check.name or f"check-{number}",
                pattern=compile_pattern(check.reason_regexp),
                inverse=check.inverse,
                grace=check.grace_period,
                action=check.action,
            )
            for number, check in enumerate(settings.container_statuses)
        ),
        deadline_for_updates=settings.deadline_for_updates,
        deadline_for_node_assignment=settings.deadline_for_node_assignment,
        deadline_for_init_containers=settings.deadline_for_init_containers,
    )


def failed_pod_checks(settings: FailedPodCheckSettings) -> FailedPodChecks:
    return FailedPodChecks(
        events=tuple(
            FailedEventCheck(pattern=compile_pattern(check.regexp), type=check.type.value, reason=check.reason)
            for check in settings.events
        ),
        pods=tuple(
            FailedStatusCheck(pattern=compile_pattern(check.regexp), reason=check.reason)
            for check in settings.pod_statuses
        ),
        containers=tuple(
            FailedContainerCheck(
                name=compile_pattern(check.container_name_regexp),
                message=compile_pattern(check.message_regexp) if check.message_regexp else None,
            )
            for check in settings.container_statuses
        ),
    )


def deadlines_of(settings: DeadlineSettings) -> Deadlines:
    return Deadlines(
        unschedulable=settings.unschedulable,
        preparing=settings.preparing,
        image=settings.image,
        config=settings.config,
        create=settings.create,
        init_crash_loop=settings.init_crash_loop,
        init_running=settings.init_running,
        active_margin=settings.active_grace,
        terminating_margin=settings.terminating_grace,
    )
