"""``failctl get orphans``: the pods of runs that nobody started."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, TextIO

from agent.api.v1 import job_pb2 as pb
from agent.console.exits import Exit
from agent.console.listing import Document, write_documents
from agent.console.options import ListForm
from agent.console.terminal import palette, width
from agent.core.failure_text.times import age
from agent.ctl import forwarded
from agent.ctl.api import jobs_api_at
from agent.ctl.asked import Asked, for_resources
from agent.ctl.get.table import Field, View, table
from agent.ctl.lookout_api import opened
from agent.ctl.pod_names import qualified
from agent.ctl.requests.stopped import SHORTEST_UID
from agent.ctl.server import ServerChoice
from agent.wire.time import read_time


@dataclass(frozen=True, slots=True, kw_only=True)
class OrphansRequest:
    """Of which cluster and namespace, ``None`` for all, and in which form."""

    cluster: str | None = None
    namespace: str | None = None
    output: ListForm = "table"
    where: ServerChoice = field(default_factory=ServerChoice)


def run(request: OrphansRequest, *, environ: Mapping[str, str], now: datetime, out: TextIO, err: TextIO) -> Exit:
    """List them; that there is none is reported on ``err``. Raises the errors of ``failctl``."""
    every = _orphans(for_resources(request.where, environ, err=err))
    found = [orphan for orphan in every if _is_wanted(orphan, request)]
    if request.output in ("table", "wide"):
        _write(found, request.output, now=now, out=out)
        if not found:
            err.write("No orphans match.\n")
    else:
        write_documents(map(_document, found), request.output, name=lambda document: str(document["uid"]), out=out)
    return Exit.FINE


def _orphans(asked: Asked) -> Sequence[pb.Orphan]:
    """Those that the scheduler knows, which a Lookout asks for them."""
    if asked.lookout is None:
        with jobs_api_at(asked.server) as client:
            return client.orphans()
    with opened(asked.lookout) as lookout, forwarded.reading():
        return forwarded.ask(lookout, "orphans", pb.GetOrphansResponse()).orphans


def _is_wanted(orphan: pb.Orphan, request: OrphansRequest) -> bool:
    return request.cluster in (None, orphan.cluster) and request.namespace in (None, orphan.namespace)


def _write(found: Sequence[pb.Orphan], form: ListForm, *, now: datetime, out: TextIO) -> None:
    view = View(now=now, short=_shortened([orphan.uid for orphan in found]))
    fields, columns = (_COLUMNS, width(out)) if form == "table" else (_WIDE, None)
    lines = table(found, fields, view=view, columns=columns)
    if found:
        out.write(f"{palette(out).strong(next(lines))}\n")
        out.writelines(f"{row}\n" for row in lines)


def _shortened(uids: Sequence[str]) -> Callable[[str], str]:
    """Cuts each uid where no other begins the same."""
    longest = max(map(len, uids), default=SHORTEST_UID)
    lengths = range(SHORTEST_UID, max(longest, SHORTEST_UID) + 1)
    enough = next((length for length in lengths if len({uid[:length] for uid in uids}) == len(set(uids))), longest)
    return lambda uid: uid[:enough]


def _holds(orphan: pb.Orphan) -> str:
    return "" if orphan.confirmed_by else ",".join(orphan.held_job_ids)


def _since(orphan: pb.Orphan, view: View) -> str:
    return age(max(view.now - read_time(orphan.since_time), timedelta(0)))


_COLUMNS: Final = (
    Field(heading="UID", text=lambda orphan, view: view.short(orphan.uid)),
    Field(heading="POD", text=lambda orphan, _: qualified(orphan.namespace, orphan.pod_name), is_pod=True),
    Field(heading="CLUSTER", text=lambda orphan, _: orphan.cluster, goes=2),
    Field(heading="NODE", text=lambda orphan, _: orphan.node, goes=3),
    Field(heading="HOLDS", text=lambda orphan, _: "yes" if _holds(orphan) else "no"),
    Field(heading="CONFIRMED", text=lambda orphan, _: orphan.confirmed_by, goes=4),
    Field(heading="SINCE", text=_since, goes=1, right=True),
)
_WIDE: Final = (
    Field(heading="UID", text=lambda orphan, _: orphan.uid),
    *_COLUMNS[1:4],
    Field(heading="HOLDS", text=lambda orphan, _: _holds(orphan)),
    *_COLUMNS[5:],
    Field(heading="PHASE", text=lambda orphan, _: orphan.phase),
    Field(heading="JOB", text=lambda orphan, _: orphan.job_id),
    Field(heading="RUN", text=lambda orphan, _: orphan.run_id),
    Field(heading="QUEUE", text=lambda orphan, _: orphan.queue),
    Field(heading="REASON", text=lambda orphan, _: orphan.confirmed_reason),
)


def _document(orphan: pb.Orphan) -> Document:
    said = orphan.HasField("confirmed_time")
    return {
        "uid": orphan.uid,
        "cluster": orphan.cluster,
        "namespace": orphan.namespace,
        "podName": orphan.pod_name,
        "node": orphan.node,
        "jobId": orphan.job_id,
        "runId": orphan.run_id,
        "queue": orphan.queue,
        "phase": orphan.phase,
        "since": read_time(orphan.since_time).isoformat(),
        "heldJobIds": list(orphan.held_job_ids),
        "confirmedBy": orphan.confirmed_by if said else None,
        "confirmedAt": read_time(orphan.confirmed_time).isoformat() if said else None,
        "confirmedReason": orphan.confirmed_reason if said else None,
    }
