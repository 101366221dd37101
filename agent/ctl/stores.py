"""Which store a command reads. What opens it is ``agent.ctl.store_reading``, with all that takes to import."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreAddress:
    """Which store: as given, else as the scheduler's settings or the environment say, else the demo's."""

    url: str | None = None
    settings: Path | None = None

    def options(self) -> tuple[str, ...]:
        """Options by which another command finds the same store. An address with a password is not repeated."""
        url = () if self.url is None or _has_password(self.url) else ("--store", self.url)
        return url if self.settings is None else (*url, "--settings", str(self.settings))


def _has_password(url: str) -> bool:
    from agent.store.engine import parse  # noqa: PLC0415 - imports sqlalchemy, which is there where a store is read

    return parse(url).password is not None
