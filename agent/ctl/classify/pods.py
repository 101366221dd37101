"""``failctl classify pod``: explain why pods of a cluster failed, with everything the cluster knows about them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from agent.console.errors import report_error
from agent.console.exits import Exit
from agent.console.terminal import visible
from agent.ctl.classify.answers import Shown, write
from agent.ctl.classify.classify import diagnoser_for
from agent.ctl.classify.cluster import read_pod
from agent.ctl.classify.policies import AskedPolicies
from agent.ctl.cluster_connection import with_connection
from agent.ctl.destination import ApiServerAddress
from agent.diagnose.subject import Subject
from agent.kube.connection import Connection

DEFAULT_NAMESPACE = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodsRequest:
    """Which pods of one namespace, where, and whether with the ends of their ``logs``."""

    names: Sequence[str]
    namespace: str = ""
    where: ApiServerAddress = field(default_factory=ApiServerAddress)
    rules: Path | None = None
    logs: bool = False
    asked: AskedPolicies | None = None
    shown: Shown = field(default_factory=Shown)


def run(request: PodsRequest, *, out: TextIO, err: TextIO) -> Exit:
    """Answer for every pod; the exit code is 1 where one is not there. Raises UsageError and UnreachableError."""
    diagnoser = diagnoser_for(request.rules, request.shown, request.asked, err=err)
    namespace = request.namespace or DEFAULT_NAMESPACE

    async def ask(connection: Connection) -> Sequence[Subject | None]:
        reading = (read_pod(connection, namespace, name, logs=request.logs) for name in request.names)
        return await asyncio.gather(*reading)

    found = with_connection(request.where, ask, gives="pod")
    now = datetime.now(UTC)
    there = [subject for subject in found if subject is not None]
    if there:
        write((diagnoser.diagnose(subject, now=now) for subject in there), request.shown, out)
    for name, subject in zip(request.names, found, strict=True):
        if subject is None:
            report_error(err, f"there is no pod {visible(name)} in namespace {visible(namespace)}", code=Exit.FINDING)
    return Exit.FINE if len(there) == len(found) else Exit.FINDING
