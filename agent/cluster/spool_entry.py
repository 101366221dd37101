"""What the spool is asked to remember."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


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
class Known:
    """A pod as far as it is known; replaces what was known of it."""

    uid: str
    entry: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """A pod that is gone for good: neither it nor what was reported of it needs to be known any longer."""

    uid: str


Entry = Report | Known | Forgotten
