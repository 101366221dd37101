"""Followers: containers whose end does not explain the failure, because other containers decide it.

A sidecar is stopped when the main containers are done. Its exit code 143 or 137 then says nothing about the job. This
module compares what is known of the ends of a pod's containers: the kind of container, the order in time, and whether
something stopped it.

The job's own containers come first, then containers that were added to the pod, then native sidecars, whose exit codes
Kubernetes ignores (KEP-753). A container of a later kind decides only if it failed by itself, strictly before all that
failed of the earlier kinds, and if there is evidence that each of them ended because of it: something stopped it soon
afterwards, or its last words are about a lost connection. The kubelet reports whole seconds, so an equal or an unknown
time is not before. Of containers of one kind, one that was stopped follows one that failed by itself.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import Final, NamedTuple

from msgspec.structs import replace

from agent.core.classify.matchers.pod_error import joined_errors
from agent.core.classify.region import final_region
from agent.core.classify.signs import failed
from agent.core.evidence import Container, ContainerKind, ContainerState, Event, Evidence, LogTail
from agent.core.exit_status import SIGNALS, ending_signal
from agent.core.failure import Failure
from agent.core.memo import keep_last

Followers = Mapping[str, str]
"""Why containers do not count, by name, as a clause about ``it``."""

TOGETHER: Final = timedelta(minutes=1)
"""How soon after a sidecar a container must be stopped to count as stopped because of it: a grace period, doubled."""

_NONE: Final[Followers] = MappingProxyType({})
_APP, _SIDECAR, _EPHEMERAL = ContainerKind.APP, ContainerKind.SIDECAR, ContainerKind.EPHEMERAL
_OOM_KILLED = "OOMKilled"
_LOST = frozenset({"Unknown", "ContainerStatusUnknown"})
_STOPS = frozenset({SIGNALS[name] for name in ("SIGHUP", "SIGINT", "SIGKILL", "SIGTERM")})
_STOPS_OR_LOST_PEER = _STOPS | {SIGNALS["SIGPIPE"]}
_LOST_PEER = re.compile(
    r"(?i)\bconnection (?:was )?(?:refused|reset|closed|aborted)|\bECONN(?:REFUSED|RESET|ABORTED)\b"
    r"|\bbroken ?pipe|\bEPIPE\b|\bsocket hang up\b|\bremote end closed connection\b"
    r"|\bupstream connect error\b|\bno healthy upstream\b"
)

_EXTREMES: Final = ("-", "connection refused")
"""A log that says nothing, and one whose last words match ``_LOST_PEER``."""

_NAMED = re.compile(r"\b[Cc]ontainer ([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\b")
"""Finds the container in messages of the kubelet and of others, such as ``Stopping container proxy``."""


class _End(NamedTuple):
    """The end of one container; ``rank`` is the place of its kind, the job's own first."""

    container: Container
    state: ContainerState
    rank: int

    @property
    def name(self) -> str:
        return f"container {self.container.name}"

    @property
    def is_failure(self) -> bool:
        return failed(self.container) is not None

    @property
    def is_lost(self) -> bool:
        """Whether the kubelet or the runtime lost it. Its exit code is then made up by them."""
        return self.state.reason in _LOST

    @property
    def was_stopped(self) -> bool:
        """Whether something asked it to stop or killed it, and not for memory."""
        return self.state.reason != _OOM_KILLED and not self.is_lost and ending_signal(self.state) in _STOPS

    @property
    def failed_by_itself(self) -> bool:
        return self.is_failure and not self.was_stopped and not self.is_lost

    def is_before(self, other: "_End") -> bool:
        """Whether it is known to have ended before the other one."""
        mine, its = self.state.finished_at, other.state.finished_at
        return mine is not None and its is not None and mine < its


def followers(containers: Sequence[Container], log_tails: Sequence[LogTail] = ()) -> Followers:
    """The containers whose end does not explain the failure; mostly none, and never all that failed."""
    return _NONE if _is_alone(containers, log_tails) else followers_among(containers, log_tails)


def _is_alone(containers: Sequence[Container], log_tails: Sequence[LogTail]) -> bool:
    """Whether at most one container failed, was killed for memory or logged: none follows another then."""
    concerned: str | None = None
    for container in containers:
        if (ended := container.ended) is not None and (ended.exit_code != 0 or ended.reason == _OOM_KILLED):
            if concerned is not None:
                return False
            concerned = container.name
    return not log_tails or all(tail.container == concerned for tail in log_tails)


def followers_among(containers: Sequence[Container], log_tails: Sequence[LogTail]) -> Followers:
    """As ``followers``, for containers of which several may have to do with the failure."""
    ends = _ends(containers)
    failures = [end for end in ends if end.is_failure]
    logged = {tail.container for tail in log_tails}
    found = {end.container.name: why for end in failures if (why := _of_peers(end, failures))}
    standing = [end for end in failures if end.container.name not in found]
    for end in ends:
        earlier = [other for other in standing if other.rank < end.rank]
        if earlier and (end.is_failure or end.state.reason == _OOM_KILLED or end.container.name in logged):
            found.update(_of_earlier_kinds(end, earlier, log_tails))
    return {**_next_to_main(ends, found), **found} if found else found


def may_change(containers: Sequence[Container], logs: Collection[str]) -> bool:
    """Whether logs of these containers could change which containers follow.

    A log can say nothing, or that a connection was lost. Each end follows from what the logs of the others say, and
    more of the latter only makes more containers of earlier kinds follow; so if both extremes agree, all logs do.
    """
    if not logs:
        return False
    without = followers(containers).keys()
    said = [[LogTail(container=name, text=text) for name in logs] for text in _EXTREMES]
    return any(followers(containers, tails).keys() != without for tails in said)


def _ends(containers: Sequence[Container]) -> list[_End]:
    return [
        _End(container, container.ended, _rank(container))
        for container in containers
        if container.ended is not None and container.kind is not _EPHEMERAL
    ]


def _rank(container: Container) -> int:
    """An init container that was added counts as the job's own: nothing of the job runs before it succeeded."""
    if container.kind is _SIDECAR:
        return 2
    return 1 if container.injected and container.kind is _APP else 0


def _of_peers(end: _End, failures: Sequence[_End]) -> str:
    """Why it follows a container of its own kind, if it does."""
    if not end.was_stopped:
        return ""
    for peer in failures:
        if peer.rank == end.rank and peer.failed_by_itself and not end.is_before(peer):
            return f"it was stopped, and {peer.name} failed by itself"
    return ""


def _of_earlier_kinds(end: _End, earlier: Sequence[_End], log_tails: Sequence[LogTail]) -> Followers:
    """The container of this end, if it follows failures of earlier kinds; else the earlier ones, which follow it."""
    if end.is_lost and not any(other.failed_by_itself for other in earlier):
        return _NONE
    name = end.container.name
    if first := [other for other in earlier if not end.is_before(other)]:
        after = next((other for other in first if other.is_before(end)), None)
        if after is not None:
            return {name: f"it ended after {after.name} had failed"}
        return {name: f"it is not known to have ended before {first[0].name} failed"}
    for other in earlier:
        if not (end.failed_by_itself and _ended_because_of(end, other, log_tails)):
            return {name: f"nothing says that {other.name} failed because of it"}
    return {other.container.name: f"it ended because {end.name} had failed" for other in earlier}


def _next_to_main(ends: Sequence[_End], found: Followers) -> Followers:
    """The containers that ended well next to a main container that follows.

    They do not count either: without the main container, one of them would be taken for it.
    """
    apps = [end for end in ends if end.container.kind is _APP]
    main = next((end for end in apps if end.rank == 0 and end.is_failure and end.container.name in found), None)
    if main is None:
        return _NONE
    return {end.container.name: f"it did not fail, and {main.name} did" for end in apps if not end.is_failure}


def _ended_because_of(cause: _End, end: _End, log_tails: Sequence[LogTail]) -> bool:
    """Whether there is evidence that a container ended because another one had failed before it."""
    begun, over = cause.state.finished_at, end.state.finished_at
    if begun is None or over is None or end.state.reason == _OOM_KILLED or end.is_lost:
        return False
    if ending_signal(end.state) in _STOPS_OR_LOST_PEER:
        return over - begun <= TOGETHER
    return any(_LOST_PEER.search(text[-final_region(text) :]) for text in _words(end, log_tails) if text.strip())


def _words(end: _End, log_tails: Sequence[LogTail]) -> Iterator[str]:
    yield end.state.message
    for tail in log_tails:
        if tail.container == end.container.name:
            yield tail.text


def deciding_containers(failure: Failure) -> Sequence[Container]:
    """The containers of a failure, without followers."""
    containers = failure.pod.containers
    found = followers(containers, failure.log_tails)
    return _without(containers, found) if found else containers


def deciding_evidence(failure: Failure) -> Evidence:
    """The evidence that a failure carries, without what is known of followers."""
    every = Evidence(
        pod=failure.pod,
        pod_error=failure.pod_error,
        events=failure.events,
        node=failure.node,
        log_tails=failure.log_tails,
    )
    return deciding_part(every)[0]


def _find(evidence: Evidence) -> tuple[Evidence, Followers]:
    found = followers(evidence.pod.containers, evidence.log_tails)
    if found:
        evidence = _deciding(evidence, found)
    # events name a follower aside, or a container of a later kind, and most pods have neither
    aside = _named_aside(evidence, found) if found or any(map(_rank, evidence.pod.containers)) else _NONE
    if not aside:
        return evidence, found
    events = tuple([event for event in evidence.events if container_named(event) not in aside])
    return replace(evidence, events=events), {**found, **aside}


deciding_part = keep_last(_find)
"""The evidence without what is known of followers, and why that does not count; the same evidence if there are none.

Events that name a sidecar which did not fail, while the main container did, are left out as well.

Memoised, because classification, summary and fingerprint ask one after the other.
"""


def container_named(event: Event) -> str:
    """The container that an event of the kubelet names; empty if it names none."""
    found = _NAMED.search(event.message)
    return found[1] if found else ""


def _named_aside(evidence: Evidence, found: Followers) -> Followers:
    """The containers of which events say nothing about the failure: followers, and later kinds that did not fail."""
    ends = _ends(evidence.pod.containers)
    first = min((end for end in ends if end.is_failure), key=lambda end: end.rank, default=None)
    if first is None:
        return _NONE
    later = {
        container.name: f"it did not fail, and {first.name} did"
        for container in evidence.pod.containers
        if _rank(container) > first.rank and failed(container) is None and container.kind is not _EPHEMERAL
    }
    named = {name for event in evidence.events if (name := container_named(event))}
    return {name: why for name, why in {**later, **found}.items() if name in named}


def _deciding(evidence: Evidence, found: Followers) -> Evidence:
    pod = evidence.pod
    containers = _without(pod.containers, found)
    error = evidence.pod_error
    if error == joined_errors(pod.containers):
        error = joined_errors(containers)
    return replace(
        evidence,
        pod=replace(pod, containers=containers),
        pod_error=error,
        log_tails=tuple([tail for tail in evidence.log_tails if tail.container not in found]),
    )


def _without(containers: Sequence[Container], found: Followers) -> tuple[Container, ...]:
    return tuple([container for container in containers if container.name not in found])
