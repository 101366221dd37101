"""Resources from the store, as decisions use them: loaded at start and again after every change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event, RLock
from typing import Final

import structlog
from sqlalchemy import Connection

from agent.core.queue import Queue
from agent.core.retry.compiled import CompiledPolicy, compile_policy
from agent.core.retry.policy import RetryPolicy
from agent.documents.problem import ManifestError
from agent.manifests.resource.kind import Kind
from agent.manifests.resource.resource import Value
from agent.scheduler.config.compiled import CompiledTexts
from agent.store import resources
from agent.store.errors import StoreError
from agent.store.resources import StoredResource
from agent.store.store import Store
from agent.telemetry import resource_metrics as metrics

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """A stored document that does not compile, and the version that is in force instead; ``None`` where none is."""

    kind: Kind
    name: str
    version: int
    in_force: int | None
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResources:
    """The policies and queues of the store at one revision."""

    revision: int = 0
    policies: Mapping[str, CompiledPolicy] = field(default_factory=dict)
    queues: Mapping[str, Queue] = field(default_factory=dict)
    unusable: tuple[Unusable, ...] = ()


NOTHING_STORED: Final = StoredResources()


class LoadRefused(Exception):
    """None of the stored policies can be used: this looks like a fault of ours, so nothing is taken over."""


class ResourceCache:
    """Keeps what the store has. A load that fails leaves the last good one in force."""

    def __init__(self, store: Store, *, use: Callable[[StoredResources], None]) -> None:
        self.current = NOTHING_STORED
        self.compiled = CompiledTexts()
        self._store = store
        self._use = use
        self._lock = RLock()
        self._failed = False

    def refresh(self) -> bool:
        """Load what has changed and pass it on; return whether something has.

        Raises StoreError, and LoadRefused where no stored policy compiles.
        """
        # one at a time: of two loads the earlier one could otherwise replace the later
        with self._lock:
            return self._refresh()

    def compile_ahead(self) -> None:
        """Compile what others stored after the last load, so that no transaction waits for it. Raises StoreError."""
        with self._store.read() as connection:
            if resources.revision(connection) == self.current.revision:
                return
            rows = resources.everything(connection)
        for row in rows:
            self.compiled.of(row.kind, row.name, row.text)

    def _refresh(self) -> bool:
        with self._store.read() as connection:
            revision = resources.revision(connection)
            if revision == self.current.revision and not self._failed:
                return False
            loaded = self._load(connection, revision)
        self._report(loaded)
        self.current = loaded
        self._use(loaded)
        return True

    def look(self) -> None:
        """Refresh; an error is reported, and the last good resources stay in force."""
        try:
            changed = self.refresh()
        except (StoreError, LoadRefused) as error:
            metrics.failed()
            if not self._failed:
                _log.error("resources cannot be loaded; the last good ones stay in force", error=str(error))
            self._failed = True
            return
        metrics.loaded(self.current.revision, unusable=len(self.current.unusable))
        if changed:
            _log.info("resources were loaded", revision=self.current.revision, policies=sorted(self.current.policies))
        self._failed = False

    def run_until(self, stop: Event, *, every: float) -> None:
        """Look until ``stop`` is set."""
        while not stop.wait(every):
            self.look()

    def _load(self, connection: Connection, revision: int) -> StoredResources:
        rows = resources.everything(connection)
        policies: dict[str, CompiledPolicy] = {}
        queues: dict[str, Queue] = {}
        unusable = []
        for row in rows:
            version, value, problem = self._usable(connection, row)
            if problem is not None:
                unusable.append(
                    Unusable(
                        kind=Kind(row.kind), name=row.name, version=row.version, in_force=version, problem=str(problem)
                    )
                )
            if isinstance(value, RetryPolicy):
                policies[row.name] = compile_policy(value, version=version)
            elif isinstance(value, Queue):
                queues[row.name] = value
        if not policies and any(row.kind == Kind.RETRY_POLICY for row in rows):
            raise LoadRefused("; ".join(f"{document.name}: {document.problem}" for document in unusable))
        self.compiled.keep(rows)
        return StoredResources(revision=revision, policies=policies, queues=queues, unusable=tuple(unusable))

    def _usable(
        self, connection: Connection, row: StoredResource
    ) -> tuple[int | None, Value | None, ManifestError | None]:
        """The latest version that compiles, and what is wrong with the latest of all."""
        value = self.compiled.of(row.kind, row.name, row.text)
        if not isinstance(value, ManifestError):
            return row.version, value, None
        for stored in resources.versions(connection, row.kind, row.name):
            if stored.uid == row.uid and stored.text is not None and stored.version < row.version:
                earlier = self.compiled.of(stored.kind, stored.name, stored.text)
                if not isinstance(earlier, ManifestError):
                    return stored.version, earlier, value
        return None, None, value

    def _report(self, loaded: StoredResources) -> None:
        before = set(self.current.unusable)
        for document in loaded.unusable:
            if document not in before:
                _log.error(
                    "a stored document does not compile",
                    kind=document.kind.value,
                    name=document.name,
                    version=document.version,
                    in_force=document.in_force,
                    problem=document.problem,
                )
