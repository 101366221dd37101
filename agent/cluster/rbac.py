"""Permissions: what the settings need, which role file grants it, and what the API server refuses.

A missing permission is found by SelfSubjectAccessReview before the first request fails for it, and is shown in the
log, a metric and readiness.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

import msgspec
import structlog

from agent.kube.access import REVIEWS, Access, access_of
from agent.kube.connection import Params
from agent.kube.errors import ApiError, Unreachable
from agent.settings.cluster import ClusterSettings
from agent.settings.modes import DeploymentMode
from agent.telemetry import cluster_metrics as metrics

_log = structlog.get_logger(__name__)

_LEASES: Final = "coordination.k8s.io"
_OWNERS: Final = (("batch", "jobs"), ("jobset.x-k8s.io", "jobsets"), ("kueue.x-k8s.io", "workloads"))
_MOST_LISTED: Final = 5
"""How many missing permissions readiness lists; it counts the others."""

_MOST_REVIEWED: Final = 1_000
"""How many refused accesses are remembered: namespaces are the cluster's, and there may be many."""

OBSERVE: Final = "deploy/rbac/observe.yaml"
FINALIZE: Final = "deploy/rbac/finalize.yaml"
RUN: Final = "deploy/rbac/run.yaml"
LOGS: Final = "deploy/rbac/logs.yaml"
ELECT: Final = "deploy/rbac/elect.yaml"
OWNERS: Final = "deploy/rbac/owners.yaml"

GRANTED: Final[Mapping[tuple[str, str], str]] = {
    ("get", "namespaces"): OBSERVE,
    ("get", "pods"): OBSERVE,
    ("list", "pods"): OBSERVE,
    ("watch", "pods"): OBSERVE,
    ("list", "events"): OBSERVE,
    ("watch", "events"): OBSERVE,
    ("list", "nodes"): OBSERVE,
    ("watch", "nodes"): OBSERVE,
    ("patch", "pods"): FINALIZE,
    ("create", "pods"): RUN,
    ("delete", "pods"): RUN,
    ("get", "pods/log"): LOGS,
    ("get", "leases"): ELECT,
    ("create", "leases"): ELECT,
    ("update", "leases"): ELECT,
    ("list", "leases"): ELECT,
    ("list", "jobs"): OWNERS,
    ("watch", "jobs"): OWNERS,
    ("list", "jobsets"): OWNERS,
    ("watch", "jobsets"): OWNERS,
    ("list", "workloads"): OWNERS,
    ("watch", "workloads"): OWNERS,
}
"""Every verb and resource that a role grants, and the file the role is in."""


def role_of(access: Access) -> str:
    """The file that grants it; ``""`` where none does."""
    return GRANTED.get((access.verb, access.resource), "")


def needed(settings: ClusterSettings) -> tuple[Access, ...]:
    """What these settings need from the start.

    Without runs, patching pods is not: only a pod whose label asks for our finalizer needs it, and a refusal then shows
    it.
    """
    events = ("list",) if settings.mode is DeploymentMode.DAEMONSET else ("list", "watch")
    return tuple(dict.fromkeys([*_observing(settings, events=events), *_electing(settings), *_acting(settings)]))


def used_if_granted(settings: ClusterSettings) -> tuple[Access, ...]:
    """What these settings use where it is granted, and do without where it is not."""
    return () if settings.mode is DeploymentMode.DAEMONSET else of_owners(settings)


def needed_to_answer(settings: ClusterSettings) -> tuple[Access, ...]:
    """What a process needs that only answers the admission webhook: it watches everything, in each mode."""
    return tuple(_observing(settings, events=("list", "watch")))


def of_owners(settings: ClusterSettings) -> tuple[Access, ...]:
    """What it takes to watch the owners of pods."""
    return tuple(
        Access(verb=verb, resource=resource, group=group, namespace=namespace)
        for group, resource in _OWNERS
        for namespace in settings.watch.namespaces or ("",)
        for verb in ("list", "watch")
    )


def _observing(settings: ClusterSettings, *, events: Sequence[str]) -> Iterator[Access]:
    """``events``: the verbs for these."""
    yield Access(verb="get", resource="namespaces", name="kube-system")  # its uid is the cluster's id
    everywhere = settings.watch.namespaces or ("",)
    for namespace in everywhere:
        for verb in ("get", "list", "watch"):
            yield Access(verb=verb, resource="pods", namespace=namespace)
    # Events about nodes, which have no namespace, are in "default".
    for namespace in dict.fromkeys((*everywhere, *(("default",) if "" not in everywhere else ()))):
        for verb in events:
            yield Access(verb=verb, resource="events", namespace=namespace)
    for verb in ("list", "watch"):
        yield Access(verb=verb, resource="nodes")


def _electing(settings: ClusterSettings) -> Iterator[Access]:
    if settings.lease is not None:
        verbs = (
            ("get", "create", "update", "list")
            if settings.mode is DeploymentMode.DAEMONSET
            else ("get", "create", "update")
        )
        for verb in verbs:
            yield Access(verb=verb, resource="leases", group=_LEASES, namespace=settings.lease.namespace)


def _acting(settings: ClusterSettings) -> Iterator[Access]:
    verbs = ("create", "delete", *(() if settings.run.max_runs is None else ("patch",)))
    for namespace in settings.run.namespaces:
        for verb in verbs:
            yield Access(verb=verb, resource="pods", namespace=namespace)
    for namespace in settings.log_tails.namespaces:
        yield Access(verb="get", resource="pods/log", namespace=namespace)


IsGranted = Callable[[Access], Awaitable[bool]]
"""Asks the API server. Raises ApiError, Unreachable and msgspec.DecodeError."""


class PermissionReview:
    """Reviews every permission that is needed, and every one that was refused until it is granted.

    ``used_if_granted`` count as missing only after they were granted once. ``interval`` is the seconds between two
    reviews; a refusal starts one at once.
    """

    def __init__(
        self,
        is_granted: IsGranted,
        *,
        needed: Iterable[Access],
        used_if_granted: Iterable[Access] = (),
        interval: float,
    ) -> None:
        self._is_granted = is_granted
        self._needed = dict.fromkeys(needed)
        self._used_if_granted = dict.fromkeys(used_if_granted)
        self._interval = interval
        self._missing: dict[Access, None] = {}
        self._wake = asyncio.Event()

    def refused(self, method: str, path: str, params: Params) -> None:
        """The API server answered a request with 403. Call on the event loop."""
        access = access_of(method, path, params)
        if access is None or path == REVIEWS:
            return  # a refused review would ask for a review of itself
        metrics.REFUSALS.labels(access.verb, access.resource).inc()
        if access not in self._missing and len(self._missing) < _MOST_REVIEWED:
            self._mark_missing(access)
            self._wake.set()

    def check(self) -> str | None:
        if not self._missing:
            return None
        said = [_describe(access) for access in self._missing]
        rest = len(said) - _MOST_LISTED
        return "; ".join(said[:_MOST_LISTED]) + (f"; and {rest} more" if rest > 0 else "")

    async def run(self) -> None:
        while True:
            await self.review()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._interval):
                    await self._wake.wait()
            self._wake.clear()

    async def review(self) -> None:
        """Review once all that is needed or missing."""
        for access in self._needed | self._used_if_granted | self._missing:
            try:
                granted = await self._is_granted(access)
            except (ApiError, Unreachable, msgspec.DecodeError) as error:
                _log.debug("permissions could not be reviewed; will try again", error=str(error))
                return
            if granted:
                if access in self._used_if_granted:
                    self._needed[access] = None
                self._mark_granted(access)
            elif access in self._needed or access in self._missing:
                self._mark_missing(access)

    def _mark_missing(self, access: Access) -> None:
        if access not in self._missing:
            self._missing[access] = None
            _log.error(_describe(access), verb=access.verb, resource=access.resource, role=role_of(access))
            self._measure(access)

    def _mark_granted(self, access: Access) -> None:
        if access in self._missing:
            del self._missing[access]
            _log.info(f"may {access} now")
            self._measure(access)

    def _measure(self, access: Access) -> None:
        """One gauge for all namespaces, so that their number does not multiply the series."""
        missing = any((right.verb, right.resource) == (access.verb, access.resource) for right in self._missing)
        metrics.MISSING_RIGHTS.labels(access.verb, access.resource, role_of(access)).set(missing)


def _describe(access: Access) -> str:
    role = role_of(access)
    return f"may not {access}: " + (f"{role} grants it" if role else "no role of ours grants it")
