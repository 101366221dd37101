"""What an operator of Pulsar does, through its admin REST API (Pulsar, "Admin API: REST", 4.0)."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, Literal
from urllib.parse import quote

from tests.servers.client import Answer, Client

Action = Literal["produce", "consume", "functions", "sources", "sinks", "packages"]
Position = Literal["earliest", "latest"]

_V2: Final = "/admin/v2"
_POSITIONS: Final[Mapping[Position, int]] = {"earliest": -1, "latest": 2**63 - 1}


@dataclass(frozen=True, slots=True)
class Admin:
    """Does it in the name of whoever ``client`` is. Namespaces are ``TENANT/NAME``, topics full names.

    A refusal is a failure of the test. Raises OSError where there is no answer.
    """

    client: Client

    def ask(self, method: str, path: str, body: object = None, **query: str) -> Answer:
        """Any request below ``/admin/v2``, and its answer, whatever that is."""
        return self.client.ask(method, f"{_V2}/{path}", body=body, query=query)

    def do(self, method: str, path: str, body: object = None, **query: str) -> Any:  # noqa: ANN401 - as the path has it
        """A request that is accepted, and what its answer holds: nothing, or whatever the path's documents say."""
        answer = self.ask(method, path, body, **query)
        said = answer.body.decode(errors="replace")
        assert answer.status < HTTPStatus.BAD_REQUEST, f"{method} {path}: {answer.status} {said}"
        return json.loads(said) if said else None

    def create_tenant(self, tenant: str, *admin_roles: str) -> None:
        body = {"adminRoles": list(admin_roles), "allowedClusters": ["standalone"]}
        self.do("PUT", f"tenants/{tenant}", body)

    def create_namespace(self, namespace: str) -> None:
        self.do("PUT", f"namespaces/{namespace}", {"bundles": {"numBundles": 1}})

    def delete_namespace(self, namespace: str) -> None:
        """Delete one that has no topics."""
        self.do("DELETE", f"namespaces/{namespace}")

    def namespaces(self, tenant: str) -> list[str]:
        return list(self.do("GET", f"namespaces/{tenant}"))

    def topics(self, namespace: str) -> list[str]:
        """Persistent, non-partitioned topics, by full name."""
        return list(self.do("GET", f"persistent/{namespace}"))

    def set_deduplication(self, namespace: str, *, enabled: bool) -> None:
        self.do("POST", f"namespaces/{namespace}/deduplication", enabled)

    def set_topic_creation(self, namespace: str, *, allowed: bool) -> None:
        """Whether a topic that is not there is created by whoever uses it."""
        self.do("POST", f"namespaces/{namespace}/autoTopicCreation", {"allowAutoTopicCreation": allowed})

    def set_retention(self, namespace: str, *, minutes: int, megabytes: int) -> None:
        """Keep what is acknowledged; -1 is without end."""
        body = {"retentionTimeInMinutes": minutes, "retentionSizeInMB": megabytes}
        self.do("POST", f"namespaces/{namespace}/retention", body)

    def set_time_to_live(self, namespace: str, seconds: int) -> None:
        self.do("POST", f"namespaces/{namespace}/messageTTL", seconds)

    def set_backlog_quota(self, namespace: str, *, size: int, policy: str) -> None:
        """``policy`` is producer_request_hold, producer_exception or consumer_backlog_eviction; ``size`` in bytes."""
        body = {"limitSize": size, "limitTime": -1, "policy": policy}
        self.do("POST", f"namespaces/{namespace}/backlogQuota", body, backlogQuotaType="destination_storage")

    def set_inactive_topics(self, namespace: str, *, delete: bool, seconds: int) -> None:
        """Whether a topic nobody uses any more is deleted after that time."""
        mode = "delete_when_no_subscriptions"
        body = {"inactiveTopicDeleteMode": mode, "maxInactiveDurationSeconds": seconds, "deleteWhileInactive": delete}
        self.do("POST", f"namespaces/{namespace}/inactiveTopicPolicies", body)

    def policies(self, namespace: str) -> dict[str, Any]:
        """All that is set for the namespace."""
        return dict(self.do("GET", f"namespaces/{namespace}"))

    def grant(self, namespace: str, role: str, actions: Collection[Action]) -> None:
        self.do("POST", f"namespaces/{namespace}/permissions/{quote(role, safe='')}", list(actions))

    def revoke(self, namespace: str, role: str) -> None:
        self.do("DELETE", f"namespaces/{namespace}/permissions/{quote(role, safe='')}")

    def grant_topic(self, topic: str, role: str, actions: Collection[Action]) -> None:
        self.do("POST", f"{_path(topic)}/permissions/{quote(role, safe='')}", list(actions))

    def permissions(self, namespace: str) -> dict[str, list[str]]:
        """Who may do what in it."""
        return dict(self.do("GET", f"namespaces/{namespace}/permissions"))

    def create_topic(self, topic: str) -> None:
        """A non-partitioned one."""
        self.do("PUT", _path(topic))

    def create_partitioned_topic(self, topic: str, partitions: int) -> None:
        self.do("PUT", f"{_path(topic)}/partitions", partitions)

    def delete_topic(self, topic: str) -> None:
        """Delete it, whoever uses it."""
        self.do("DELETE", _path(topic), force="true")

    def unload(self, topic: str) -> None:
        """Have the broker close it: clients find it again."""
        self.do("PUT", f"{_path(topic)}/unload")

    def create_subscription(self, topic: str, name: str, at: Position = "earliest") -> None:
        body = {"ledgerId": _POSITIONS[at], "entryId": _POSITIONS[at], "partitionIndex": -1}
        self.do("PUT", f"{_path(topic)}/subscription/{quote(name, safe='')}", body)

    def delete_subscription(self, topic: str, name: str) -> None:
        self.do("DELETE", f"{_path(topic)}/subscription/{quote(name, safe='')}", force="true")

    def rewind(self, topic: str, subscription: str) -> None:
        """Have everything that the topic keeps delivered again."""
        self.do("POST", f"{_path(topic)}/subscription/{quote(subscription, safe='')}/resetcursor/0")

    def subscriptions(self, topic: str) -> list[str]:
        return list(self.do("GET", f"{_path(topic)}/subscriptions"))

    def statistics(self, topic: str) -> dict[str, Any]:
        """Producers, subscriptions and their backlogs, exact."""
        return dict(self.do("GET", f"{_path(topic)}/stats", getPreciseBacklog="true"))

    def backlog(self, topic: str, subscription: str) -> int:
        """How many messages it has not acknowledged."""
        return int(self.statistics(topic)["subscriptions"][subscription]["msgBacklog"])

    def ledgers(self, topic: str) -> dict[str, Any]:
        """How the topic is stored: its ledgers and cursors."""
        return dict(self.do("GET", f"{_path(topic)}/internalStats"))

    def runtime_settings(self) -> dict[str, str]:
        """The broker's settings as it has them."""
        return dict(self.do("GET", "brokers/configuration/runtime"))


def _path(topic: str) -> str:
    """``persistent://a/b/c`` as the admin API has it in paths."""
    domain, _, rest = topic.partition("://")
    tenant, namespace, name = rest.split("/", maxsplit=2)
    return f"{domain}/{tenant}/{namespace}/{quote(name, safe='')}"
