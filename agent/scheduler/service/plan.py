"""What a change of resources does, or why it is refused. Pure: what is held goes in, edits come out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from agent.core.queue import Queue
from agent.core.retry.policy import DEFAULT_POLICY, RetryPolicy
from agent.core.units import counted
from agent.manifests.resource.kind import Kind
from agent.manifests.resource.read import load_resource
from agent.manifests.resource.relations import policy_problem, queue_problem, using
from agent.manifests.resource.resource import Resource, Value
from agent.manifests.resource.write import NotRewritable, without_policy
from agent.store.resources import Change, StoredVersion

Key = tuple[Kind, str]


class Why(StrEnum):
    """Why a change is refused."""

    NOT_FOUND = "not-found"
    EXISTS = "exists"
    CONFLICT = "conflict"
    INVALID = "invalid"
    REFERENCED = "referenced"
    READ_ONLY = "read-only"
    PROTECTED = "protected"


class Refused(Exception):
    """A change that is not made."""

    def __init__(self, why: Why, message: str) -> None:
        super().__init__(message)
        self.why = why


class Intent(StrEnum):
    """What putting a document means where its name exists, or does not."""

    CREATE = "create"
    REPLACE = "replace"
    UPDATE = "update"
    APPLY = "apply"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A stored resource; ``value`` is ``None`` if its text does not compile."""

    kind: Kind
    name: str
    uid: str
    version: int
    text: str
    value: Value | None

    @property
    def key(self) -> Key:
        return self.kind, self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What is stored, and the policies that files hold or that always exist.

    ``files`` are the files of policies by name, and ``fixed`` the policies that the store does not have.
    """

    stored: Mapping[Key, Held]
    fixed: Mapping[str, RetryPolicy] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def policies(self) -> Mapping[str, RetryPolicy]:
        """Every policy by name; a file wins over the store."""
        stored = {
            resource.name: resource.value
            for resource in self.stored.values()
            if isinstance(resource.value, RetryPolicy)
        }
        held = {name: policy for name, policy in self.fixed.items() if name in self.files}
        return {**self.fixed, **stored, **held}

    @property
    def queues(self) -> Sequence[Queue]:
        return [resource.value for resource in self.stored.values() if isinstance(resource.value, Queue)]

    def after(self, edits: Iterable["Edit"]) -> "State":
        """The state once these edits are made."""
        stored = dict(self.stored)
        for edit in edits:
            before = stored.pop(edit.key, None)
            if edit.text is not None:
                stored[edit.key] = Held(
                    kind=edit.kind,
                    name=edit.name,
                    uid=before.uid if before else "",
                    version=0,
                    text=edit.text,
                    value=edit.value,
                )
        return replace(self, stored=stored)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change of one resource. ``text`` is what it becomes, ``None`` if it is deleted."""

    kind: Kind
    name: str
    change: Change
    text: str | None
    value: Value | None = None
    note: str = ""

    @property
    def key(self) -> Key:
        return self.kind, self.name


def put(state: State, documents: Sequence[Resource], *, intent: Intent, version: int = 0) -> tuple[Edit, ...]:
    """The edits that put these documents; none for one whose text is the same. Raises Refused."""
    if version and len(documents) != 1:
        raise Refused(Why.INVALID, "a version belongs to one document, and the text has several")
    edits = [
        edit for document in documents if (edit := _put(state, document, intent=intent, version=version)) is not None
    ]
    _check(state, edits)
    return tuple(edits)


def _put(state: State, document: Resource, *, intent: Intent, version: int) -> Edit | None:
    key, name = (document.kind, document.name), f"{document.kind.word} {document.name}"
    _refuse_held(state, key)
    held = state.stored.get(key)
    there = held is not None or (document.kind is Kind.RETRY_POLICY and document.name == DEFAULT_POLICY)
    if there and intent is Intent.CREATE and held is not None and not document.is_armadas:
        raise Refused(Why.EXISTS, f"{name} exists already; update or apply it instead")
    if not there and intent is Intent.UPDATE:
        raise Refused(Why.NOT_FOUND, f"there is no {name}; create or apply it instead")
    _refuse_version(held, name, version)
    if held is not None and held.text == document.text:
        return None
    change = Change.CREATED if held is None else Change.UPDATED
    return Edit(kind=document.kind, name=document.name, change=change, text=document.text, value=document.value)


def delete(
    state: State, kind: Kind, name: str, *, version: int = 0, detach: bool = False, jobs: int = 0
) -> tuple[Edit, ...]:
    """The edits that delete a resource, after those that take it out of queues. Raises Refused.

    ``jobs`` are those of a queue that have not ended.
    """
    words = f"{kind.word} {name}"
    if kind is Kind.RETRY_POLICY and name == DEFAULT_POLICY:
        raise Refused(Why.PROTECTED, f"{words} cannot be deleted; roll it back, or change it")
    _refuse_held(state, (kind, name))
    held = state.stored.get((kind, name))
    if held is None:
        raise Refused(Why.NOT_FOUND, f"there is no {words}")
    _refuse_version(held, words, version)
    if jobs:
        message = f"{words} has jobs that have not ended: {jobs:,}; cancel them, or wait for their end"
        raise Refused(Why.REFERENCED, message)
    edits = () if kind is not Kind.RETRY_POLICY else _detach(state, held, detach=detach)
    return (*edits, Edit(kind=kind, name=name, change=Change.DELETED, text=None))


def _detach(state: State, held: Held, *, detach: bool) -> tuple[Edit, ...]:
    users = [queue.name for queue in using(held.name, state.queues)]
    armadas = (
        held.value is not None and Resource(kind=held.kind, name=held.name, text=held.text, value=held.value).is_armadas
    )
    if users and not (detach or armadas):
        raise Refused(
            Why.REFERENCED,
            f"{held.kind.word} {held.name} is named by {counted(len(users), 'queue')}: {', '.join(users)}; take it out "
            "there, or delete it with --detach",
        )
    return tuple(_detached(state.stored[Kind.QUEUE, name], held.name) for name in users)


def _detached(queue: Held, policy: str) -> Edit:
    try:
        text = without_policy(queue.text, policy)
    except NotRewritable as error:
        raise Refused(Why.INVALID, str(error)) from error
    value = load_resource(text, file=f"queue {queue.name}", kind=Kind.QUEUE).value
    note = f"retry policy {policy} was deleted"
    return Edit(kind=Kind.QUEUE, name=queue.name, change=Change.DETACHED, text=text, value=value, note=note)


def roll_back(state: State, document: Resource, *, version: int) -> tuple[Edit, ...]:
    """The edit that makes the document of an earlier version the current one. Raises Refused."""
    key = (document.kind, document.name)
    _refuse_held(state, key)
    held = state.stored.get(key)
    if held is not None and held.text == document.text:
        return ()
    note = f"to version {version}"
    edit = Edit(
        kind=document.kind,
        name=document.name,
        change=Change.ROLLED_BACK,
        text=document.text,
        value=document.value,
        note=note,
    )
    _check(state, [edit])
    return (edit,)


def earlier_version(versions: Sequence[StoredVersion], kind: Kind, name: str, version: int) -> StoredVersion:
    """The version to return to, of all versions, the latest first; 0 is the one before. Raises Refused."""
    if not versions:
        raise Refused(Why.NOT_FOUND, f"the store never had a {kind.word} {name}")
    wanted = [stored for stored in versions if stored.text is not None and (stored.version == version or not version)]
    if not version and versions[0].text is not None:
        wanted = wanted[1:]
    if not wanted:
        known = ", ".join(str(stored.version) for stored in versions if stored.text is not None)
        which = f"version {version}" if version else "earlier version"
        raise Refused(Why.NOT_FOUND, f"{kind.word} {name} has no {which} to return to; there are: {known or 'none'}")
    return wanted[0]


def _refuse_held(state: State, key: Key) -> None:
    if key[0] is Kind.RETRY_POLICY and (file := state.files.get(key[1])) is not None:
        raise Refused(Why.READ_ONLY, f"retry policy {key[1]} is in the file {file}; change it there")


def _refuse_version(held: Held | None, name: str, version: int) -> None:
    there = 0 if held is None else held.version
    if version and version != there:
        raise Refused(
            Why.CONFLICT, f"{name} is at version {there}, not {version}: somebody changed it; get it and try again"
        )


def _check(state: State, edits: Sequence[Edit]) -> None:
    """Refuse edits after which a queue would name what is not there, or policies of two dialects."""
    after = state.after(edits)
    for edit in edits:
        problem = None
        if isinstance(edit.value, Queue):
            problem = queue_problem(edit.value, after.policies)
        elif isinstance(edit.value, RetryPolicy):
            problem = policy_problem(edit.value, after.policies, after.queues)
        if problem is not None:
            raise Refused(Why.INVALID, problem)
