"""Resources, as the API changes and reads them: plans run in transactions of the store."""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import structlog
from sqlalchemy import Connection

from agent.core.units import counted
from agent.documents.problem import ManifestError
from agent.manifests.resource.kind import Kind
from agent.manifests.resource.read import read_resources
from agent.manifests.resource.resource import Resource, Value
from agent.scheduler.config.in_force import InForce
from agent.scheduler.service.affected import affected_by, open_jobs, scopes_of
from agent.scheduler.service.plan import (
    Edit,
    Held,
    Intent,
    Refused,
    State,
    Why,
    delete,
    earlier_version,
    put,
    roll_back,
)
from agent.scheduler.service.rights import Authorizer, permission
from agent.store import resources as table
from agent.store.resources import NONE_AFFECTED, Affected, Change, NewVersion, StoredResource, StoredVersion
from agent.store.store import Store
from agent.telemetry import resource_metrics as metrics

_log = structlog.get_logger(__name__)

_TEXT: Final = "text"
"""The name of a text that came over the API, in its problems."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What was done to one resource, or would be; ``change`` is ``None`` where it was like this before."""

    kind: Kind
    name: str
    change: Change | None
    version: int
    before: str = ""
    detached: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    affected: Affected = NONE_AFFECTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A resource as it is now; ``file`` has it, or ``stored`` is its row."""

    kind: Kind
    name: str
    text: str
    stored: StoredResource | None = None
    file: str = ""


class Resources:
    """Changes and reads. Every method raises StoreError; those that change also Refused, Denied and RightsUnknown."""

    def __init__(
        self,
        store: Store,
        *,
        in_force: InForce,
        rights: Authorizer,
        clock: Callable[[Connection], datetime],
        new_uid: Callable[[], str],
    ) -> None:
        self._store = store
        self._in_force = in_force
        self._rights = rights
        self._clock = clock
        self._new_uid = new_uid

    def put(
        self, text: str, *, who: str, intent: Intent, version: int = 0, dry_run: bool = False
    ) -> tuple[Result, ...]:
        """Create, replace or update the documents of a text, all or none."""
        documents = _read(text)
        verb = "update" if intent is Intent.UPDATE else "create"
        for document in documents:
            self._rights.check(who, permission(verb, document.kind))
        with self._transaction(dry_run=dry_run) as connection:
            state = self._state(connection)
            edits = put(state, documents, intent=intent, version=version)
            results = self._run(connection, state, edits, who=who, dry_run=dry_run)
            by_key = {(result.kind, result.name): result for result in results}
            answers = tuple(
                by_key.get((document.kind, document.name)) or _unchanged(state, document) for document in documents
            )
            warned = tuple(self._warned(connection, *pair) for pair in zip(answers, documents, strict=True))
        for document in () if dry_run else documents:
            if document.text == text:
                self._in_force.cache.compiled.add(document)
        self._report(results, who=who, dry_run=dry_run)
        return warned

    def delete(
        self,
        kind: Kind,
        name: str,
        *,
        who: str,
        version: int = 0,
        detach: bool = False,
        allow_missing: bool = False,
        dry_run: bool = False,
    ) -> Result:
        """Delete one resource."""
        if not name:
            raise Refused(Why.INVALID, f"name the {kind.word} to delete")
        self._rights.check(who, permission("delete", kind))
        with self._transaction(dry_run=dry_run, also=scopes_of(kind, name)) as connection:
            state, jobs = self._state(connection), open_jobs(connection, kind, name)
            try:
                edits = delete(state, kind, name, version=version, detach=detach, jobs=jobs)
            except Refused as refused:
                if refused.why is not Why.NOT_FOUND or not allow_missing:
                    raise
                return Result(kind=kind, name=name, change=None, version=0)
            *others, own = self._run(connection, state, edits, who=who, dry_run=dry_run)
        self._report((*others, own), who=who, dry_run=dry_run)
        detached = tuple(result.name for result in others)
        if detached and not dry_run:
            _log.warning(
                f"deleted {kind.word} {name} and detached it from {counted(len(detached), 'queue')}",
                queues=", ".join(detached),
                by=who,
            )
        return replace(own, detached=detached)

    def roll_back(self, kind: Kind, name: str, *, who: str, version: int = 0, dry_run: bool = False) -> Result:
        """Make an earlier version the current one; 0 is the one before the current."""
        self._rights.check(who, permission("update", kind))
        with self._store.read() as connection:
            self._earlier(connection, kind, name, version)
        with self._transaction(dry_run=dry_run) as connection:
            state = self._state(connection)
            document, earlier = self._earlier(connection, kind, name, version)
            edits = roll_back(state, document, version=earlier)
            results = self._run(connection, state, edits, who=who, dry_run=dry_run)
            answer = results[0] if results else _unchanged(state, document)
        self._report(results, who=who, dry_run=dry_run)
        return answer

    def get(self, kind: Kind, name: str) -> Shown:
        """One resource. Raises Refused if there is none."""
        fixed = self._in_force.configuration.policies
        with self._store.read() as connection:
            row = table.get(connection, kind, name)
        own = fixed.get(name) if kind is Kind.RETRY_POLICY else None
        if own is not None and (own.file or row is None):
            return Shown(kind=kind, name=name, text=own.text, file=own.file)
        if row is not None:
            return Shown(kind=kind, name=name, text=row.text, stored=row)
        raise Refused(Why.NOT_FOUND, f"there is no {kind.word} {name}")

    def everything(self, kind: Kind | None = None) -> tuple[Sequence[Shown], int]:
        """All resources, or those of a kind, by kind and name; and the revision that they are of."""
        fixed = self._in_force.configuration.policies
        with self._store.read() as connection:
            rows, revision = table.everything(connection), table.revision(connection)
        found = {
            (Kind(row.kind), row.name): Shown(kind=Kind(row.kind), name=row.name, text=row.text, stored=row)
            for row in rows
        }
        for name, own in fixed.items():
            key = (Kind.RETRY_POLICY, name)
            if own.file or key not in found:
                found[key] = Shown(kind=key[0], name=name, text=own.text, file=own.file)
        order = list(Kind)
        wanted = [shown for shown in found.values() if kind in (None, shown.kind)]
        return sorted(wanted, key=lambda shown: (order.index(shown.kind), shown.name)), revision

    def versions(self, kind: Kind, name: str) -> Sequence[StoredVersion]:
        """Every version, the latest first. Raises Refused if there never was one."""
        with self._store.read() as connection:
            found = table.versions(connection, kind, name)
        if not found:
            raise Refused(Why.NOT_FOUND, f"the store never had a {kind.word} {name}")
        return found

    def since(self, after: int, *, limit: int = 500) -> Sequence[StoredVersion]:
        """The changes after a revision, the earliest first."""
        with self._store.read() as connection:
            return table.since(connection, after, limit=limit)

    def revision(self) -> int:
        """The latest revision."""
        with self._store.read() as connection:
            return table.revision(connection)

    def _earlier(self, connection: Connection, kind: Kind, name: str, version: int) -> tuple[Resource, int]:
        """An earlier version as a document, and its number. Raises Refused."""
        earlier = earlier_version(table.versions(connection, kind, name), kind, name, version)
        text = earlier.text or ""
        value = self._in_force.cache.compiled.of(kind, name, text)
        if isinstance(value, ManifestError):
            found = ManifestError(tuple(replace(problem, file=f"{kind.word} {name}") for problem in value.problems))
            raise Refused(Why.INVALID, f"version {earlier.version} cannot be used any more: {found}") from value
        return Resource(kind=kind, name=name, text=text, value=value), earlier.version

    def _transaction(self, *, dry_run: bool, also: Collection[str] = ()) -> AbstractContextManager[Connection]:
        self._in_force.cache.compile_ahead()
        return self._store.read() if dry_run else self._store.decide({table.SCOPE, *also})

    def _state(self, connection: Connection) -> State:
        fixed = self._in_force.configuration.policies
        held = [
            Held(
                kind=Kind(row.kind),
                name=row.name,
                uid=row.uid,
                version=row.version,
                text=row.text,
                value=self._value(row),
            )
            for row in table.everything(connection)
        ]
        return State(
            stored={resource.key: resource for resource in held},
            fixed={name: written.policy.policy for name, written in fixed.items()},
            files={name: written.file for name, written in fixed.items() if written.file},
        )

    def _value(self, row: StoredResource) -> Value | None:
        value = self._in_force.cache.compiled.of(row.kind, row.name, row.text)
        return None if isinstance(value, ManifestError) else value

    def _run(
        self, connection: Connection, state: State, edits: Sequence[Edit], *, who: str, dry_run: bool
    ) -> tuple[Result, ...]:
        now = self._clock(connection)
        return tuple(self._edit(connection, state, edit, who=who, now=now, dry_run=dry_run) for edit in edits)

    def _edit(
        self, connection: Connection, state: State, edit: Edit, *, who: str, now: datetime, dry_run: bool
    ) -> Result:
        held = state.stored.get(edit.key)
        affected = affected_by(connection, edit)
        version = 0 if held is None else held.version
        if not dry_run:
            new = NewVersion(
                kind=edit.kind,
                name=edit.name,
                uid=self._new_uid() if held is None else held.uid,
                text=edit.text,
                change=edit.change,
                at=now,
                by=who,
                note=edit.note,
            )
            version = table.write(connection, new)
        before = "" if held is None else held.text
        return Result(
            kind=edit.kind, name=edit.name, change=edit.change, version=version, before=before, affected=affected
        )

    def _warned(self, connection: Connection, result: Result, document: Resource) -> Result:
        findings = [f"{finding.line}:{finding.column}: {finding.message}" for finding in document.findings]
        return replace(result, warnings=(*findings, *self._in_force.warnings(connection, document)))

    def _report(self, results: Sequence[Result], *, who: str, dry_run: bool) -> None:
        if dry_run or not results:
            return
        for result in results:
            if result.change is not None:
                metrics.CHANGES.labels(result.kind.value, result.change.value).inc()
                _log.info(
                    f"{result.kind.word} {result.name} was {result.change.words}",
                    version=result.version,
                    by=who,
                    waiting_jobs=result.affected.jobs,
                )
        self._in_force.cache.look()


def _read(text: str) -> tuple[Resource, ...]:
    """The documents of a text. Raises Refused."""
    try:
        return read_resources(text, file=_TEXT).value_or_raise()
    except ManifestError as error:
        raise Refused(Why.INVALID, str(error)) from error


def _unchanged(state: State, document: Resource) -> Result:
    held = state.stored[document.kind, document.name]
    return Result(kind=document.kind, name=document.name, change=None, version=held.version, before=held.text)
