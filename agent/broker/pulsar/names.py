"""Our topic names <-> Pulsar's."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Names:
    """All our topics are persistent, non-partitioned ones of ``namespace`` (``TENANT/NAMESPACE``)."""

    namespace: str

    def full(self, topic: str) -> str:
        """``run-events-c1`` becomes ``persistent://TENANT/NAMESPACE/run-events-c1``."""
        return f"persistent://{self.namespace}/{topic}"

    def short(self, full: str) -> str:
        """The inverse of ``full``."""
        return full.removeprefix(f"persistent://{self.namespace}/")
