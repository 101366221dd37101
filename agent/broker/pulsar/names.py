"""Our names of topics, and Pulsar's."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Names:
    """All our topics are persistent, non-partitioned ones of ``namespace`` (``TENANT/NAMESPACE``)."""

    namespace: str

    def full(self, topic: str) -> str:
        """``run-events-c1`` as Pulsar names it."""
        return f"persistent://{self.namespace}/{topic}"

    def short(self, full: str) -> str:
        """As we name it."""
        return full.removeprefix(f"persistent://{self.namespace}/")
