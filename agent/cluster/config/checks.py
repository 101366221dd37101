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
                pattern=compile_pattern(each.regexp),
                inverse=each.inverse,
                type=each.type.value,
                grace=each.grace_period,
                action=each.action,
            )
            for each in settings.events
        ),
        containers=tuple(
            WaitingCheck(
                name=each.name or f"check-{number}",
                pattern=compile_pattern(each.reason_regexp),
                inverse=each.inverse,
                grace=each.grace_period,
                action=each.action,
            )
            for number, each in enumerate(settings.container_statuses)
        ),
        deadline_for_updates=settings.deadline_for_updates,
        deadline_for_node_assignment=settings.deadline_for_node_assignment,
        deadline_for_init_containers=settings.deadline_for_init_containers,
    )


def failed_pod_checks(settings: FailedPodCheckSettings) -> FailedPodChecks:
    return FailedPodChecks(
        events=tuple(
            FailedEventCheck(pattern=compile_pattern(each.regexp), type=each.type.value, reason=each.reason)
            for each in settings.events
        ),
        pods=tuple(
            FailedStatusCheck(pattern=compile_pattern(each.regexp), reason=each.reason)
            for each in settings.pod_statuses
        ),
        containers=tuple(
            FailedContainerCheck(
                name=compile_pattern(each.container_name_regexp),
                message=compile_pattern(each.message_regexp) if each.message_regexp else None,
            )
            for each in settings.container_statuses
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
