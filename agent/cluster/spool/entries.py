"""What the spool is asked to remember. A new kind of entry also needs a case in ``changes.remember``."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from agent.core.run_event import RuleSetLoaded, RunEvent, RunsListed
from agent.wire import events


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """An event of a pod, to be published once. Spooling it again while the pod exists changes nothing."""

    event_id: str
    pod_uid: str
    key: str
    payload: bytes
    properties: Mapping[str, str]
    event_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a command, to be published; also if the same was reported before, under another event id."""

    report: Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A pod as it is known now; replaces what was known of it. ``entry`` is encoded by ``pods.registry``."""

    uid: str
    entry: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """A pod that is gone permanently: it and its reports can be forgotten. What is held for it is published."""

    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A report that is kept until its pod is removed, and not published before. Idempotent."""

    report: Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """Publish what is held under this event id."""

    event_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """Publish ``report`` instead of what is held under this event id."""

    event_id: str
    report: Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What is held under this event id is no longer true. It may happen again, so its id is forgotten too."""

    event_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunList:
    """All pages of a list of the pods of runs, to be published in their order; those of the list before are forgotten.

    A standby drops it: whoever is the leader lists again.
    """

    pages: tuple[Report, ...]


SpoolEntry = Report | Answer | Known | Forgotten | Held | Released | Replaced | Dropped | RunList


RULE_SETS = "rule-set"
"""Stands for the uid of a pod in reports that are about the agent's rules."""


LISTS: Final = "run-list"
"""Stands for the uid of a pod in pages of lists, and for the scope in their keys: they hold up no scope."""


def rule_set_report(loaded: RuleSetLoaded) -> Report:
    """The report of what the agent classifies by, encoded."""
    return Report(
        event_id=loaded.event_id,
        pod_uid=RULE_SETS,
        key=loaded.cluster_id,
        payload=events.encode_rule_set(loaded),
        properties={"event_id": loaded.event_id, "schema_version": str(events.SCHEMA_VERSION)},
        event_time=loaded.loaded_at,
    )


def page_report(page: RunsListed) -> Report:
    """A page of a list of the pods of runs, encoded."""
    return Report(
        event_id=page.event_id,
        pod_uid=LISTS,
        key=f"{LISTS}/{page.cluster_id}",
        payload=events.encode_list(page),
        properties={"event_id": page.event_id, "schema_version": str(events.SCHEMA_VERSION)},
        event_time=page.listed_at,
    )


def event_report(event: RunEvent) -> Report:
    """The report of an event, encoded. The key is the decision scope, so that events of one scope stay in order."""
    return Report(
        event_id=event.event_id,
        pod_uid=event.pod.uid,
        key=event.identity.scope,
        payload=events.encode(event),
        properties={"event_id": event.event_id, "schema_version": str(events.SCHEMA_VERSION)},
        event_time=event.occurred_at,
    )
