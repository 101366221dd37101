"""What a scenario is played on: a server, a namespace of its own, and what only its keeper can do to the server."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from tests.contract.witness import Witness


class Keeper(Protocol):
    """Who can do to a server what its clients cannot."""

    async def forget(self) -> None:
        """Compact: lists from before are gone."""

    async def forget_watches(self) -> None:
        """Compact, and no longer remember what was: watches from before are gone too."""

    def overloaded(self) -> AbstractAsyncContextManager[Witness]:
        """A server that takes no more writes from those who are nobody special; one of them, as whom to try."""

    def full(self) -> AbstractAsyncContextManager[None]:
        """The quota of the namespace lets in no pod."""

    def denying(self, why: str) -> AbstractAsyncContextManager[None]:
        """A webhook that is named ``deny.example.dev`` lets in no pod."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where one scenario is played, once. ``namespace`` is new."""

    server: Witness
    namespace: str
    keeper: Keeper

    @property
    def pods(self) -> str:
        """The path of the namespace's pods."""
        return f"/api/v1/namespaces/{self.namespace}/pods"

    @property
    def events(self) -> str:
        """The path of the namespace's events."""
        return f"/api/v1/namespaces/{self.namespace}/events"

    @property
    def leases(self) -> str:
        """The path of the namespace's leases."""
        return f"/apis/coordination.k8s.io/v1/namespaces/{self.namespace}/leases"


Scenario = Callable[[Stage], Awaitable[None]]
"""What a client does, and what it may rely on. Its name is its transcript's."""
