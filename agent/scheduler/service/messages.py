"""Resources <-> the messages of the API."""

from typing import Final, cast

from agent.api.v1 import resources_pb2 as pb
from agent.manifests.resource.kind import NUMBERS, Kind
from agent.scheduler.config.stored import Unusable
from agent.scheduler.service.plan import Refused, Why
from agent.scheduler.service.resources import Result, Shown
from agent.store.resources import Change, StoredVersion
from agent.wire.time import fill_time

_CHANGES: Final = {
    None: pb.CHANGE_UNSPECIFIED,
    Change.CREATED: pb.CHANGE_CREATED,
    Change.UPDATED: pb.CHANGE_UPDATED,
    Change.ROLLED_BACK: pb.CHANGE_ROLLED_BACK,
    Change.DETACHED: pb.CHANGE_DETACHED,
    Change.DELETED: pb.CHANGE_DELETED,
}


def read_kind(number: int) -> Kind:
    """The kind of a request. Raises Refused for one that there is not."""
    if number not in NUMBERS:
        raise Refused(Why.INVALID, f"name the kind: {', '.join(kind.word for kind in Kind)}")
    return NUMBERS[number]


def _number(kind: Kind) -> pb.ResourceKind:
    return cast("pb.ResourceKind", kind.number)


def of_result(result: Result, *, dry_run: bool) -> pb.ChangedResource:
    """A result as a message."""
    return pb.ChangedResource(
        kind=_number(result.kind),
        name=result.name,
        change=_CHANGES[result.change],
        version=result.version,
        detached=result.detached,
        warnings=result.warnings,
        active_jobs=result.affected.jobs,
        restarted_counts=result.affected.restarted,
        text_before=result.before if dry_run else "",
    )


def of_shown(shown: Shown, unusable: Unusable | None) -> pb.Resource:
    """A resource as a message."""
    message = pb.Resource(kind=_number(shown.kind), name=shown.name, text=shown.text, file=shown.file)
    if (row := shown.stored) is not None:
        message.uid, message.version = row.uid, row.version
        message.created_by, message.changed_by = row.created_by, row.changed_by
        fill_time(message.created_time, row.created_at)
        fill_time(message.changed_time, row.changed_at)
    if unusable is not None:
        message.problem, message.version_in_force = unusable.problem, unusable.in_force or 0
    return message


def of_version(version: StoredVersion) -> pb.ResourceVersion:
    """A version as a message."""
    message = pb.ResourceVersion(
        revision=version.revision,
        kind=_number(Kind(version.kind)),
        name=version.name,
        uid=version.uid,
        version=version.version,
        change=_CHANGES[version.change],
        text=version.text or "",
        by=version.by,
        note=version.note,
    )
    fill_time(message.time, version.at)
    return message
