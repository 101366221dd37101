"""Who may do what: the port that the API asks before every change."""

from typing import Protocol

from agent.manifests.resource.kind import Kind


class Denied(Exception):
    """Somebody may not do this."""


class RightsUnknown(Exception):
    """Whether somebody may do this cannot be found out now; trying again later may help."""


class Authorizer(Protocol):
    """Says whether somebody may do something; permissions have Armada's names (``create_retry_policy``)."""

    def check(self, who: str, permission: str) -> None:
        """Raises Denied, and RightsUnknown."""
        ...


class Everybody:
    """Allows everything: whoever reaches an API that listens on loopback only."""

    def check(self, who: str, permission: str) -> None:
        """Allow it."""


def permission(verb: str, kind: Kind) -> str:
    """The permission to ``create``, ``update`` or ``delete`` resources of a kind."""
    return f"{verb}_{kind.noun}"
