"""Commands: what travels on the run-commands topics <-> RunCommand and ListRuns."""

from typing import assert_never

from agent.api.v1 import commands_pb2 as pb
from agent.core.run_command import CommandContent, CreateRun, DiscardRun, ListRuns, RunCommand, StartRun, StopRun
from agent.core.run_event import PodReference
from agent.wire.envelope import read_required_time, refuse_newer, require
from agent.wire.error import WireError
from agent.wire.failure import parse
from agent.wire.nul import without_nul
from agent.wire.pod_reference import fill_pod_reference, read_pod_reference
from agent.wire.time import fill_time, read_duration
from agent.wire.words import GRACEFUL_SHUTDOWNS, LOST_CLUSTERS

__all__ = ["SCHEMA_VERSION", "WireError", "decode", "decode_any", "encode"]

SCHEMA_VERSION = 1
"""The version that we write. Later versions only add to it, so they are read, too."""

_ALWAYS = ("cluster_id",)
_REQUIRED = (*_ALWAYS, "job_id", "run_id")


def encode(command: RunCommand | ListRuns) -> bytes:
    """A command as the bytes of a RunCommand."""
    if isinstance(command, ListRuns):
        return _encode_list(command)
    message = pb.RunCommand(
        schema_version=SCHEMA_VERSION,
        cluster_id=command.cluster_id,
        job_id=command.job_id,
        run_id=command.run_id,
    )
    fill_time(message.issued_time, command.issued_at)
    _fill(message, command.command)
    return message.SerializeToString()


def _encode_list(asked: ListRuns) -> bytes:
    message = pb.RunCommand(schema_version=SCHEMA_VERSION, cluster_id=asked.cluster_id, list=pb.ListRuns())
    fill_time(message.issued_time, asked.issued_at)
    return message.SerializeToString()


def _fill(message: pb.RunCommand, content: CommandContent) -> None:
    match content:
        case CreateRun():
            _fill_create(message.create, content)
        case StartRun(pod=pod):
            fill_pod_reference(message.start.pod, pod)
        case StopRun(pod=pod):
            fill_pod_reference(message.stop.pod, pod)
        case DiscardRun(pod=pod):
            fill_pod_reference(message.discard.pod, pod)
        case _:
            assert_never(content)


def _fill_create(message: pb.CreateRun, create: CreateRun) -> None:
    message.queue = create.queue
    message.job_set = create.job_set
    message.namespace = create.namespace
    message.pod_name = create.pod_name
    message.index = create.index
    message.pod = create.pod
    message.lost_cluster = LOST_CLUSTERS.number[create.lost_cluster]
    message.graceful_shutdown = GRACEFUL_SHUTDOWNS.number[create.graceful_shutdown]
    message.grace.FromTimedelta(create.grace)


def decode(payload: bytes) -> RunCommand:
    """The command about a run in the bytes of a RunCommand. Raises WireError as ``decode_any``, and for any other."""
    command = decode_any(payload)
    if not isinstance(command, RunCommand):
        raise WireError(f"a {type(command).__name__}, which is about no run")
    return command


def decode_any(payload: bytes) -> RunCommand | ListRuns:
    """The command in the bytes of a RunCommand.

    Raises WireError for what nobody could act on: an unknown schema, no ids, no pod, no command, NUL in a text; and
    TooNew for a command that only a later version knows.
    """
    message = parse(pb.RunCommand, payload)
    if message.schema_version < 1:
        raise WireError(f"schema version {message.schema_version} is not known")
    refuse_newer(message, "command", always=_ALWAYS)
    about_all = message.WhichOneof("command") == "list"
    require(message, _ALWAYS if about_all else _REQUIRED)
    command = _read_list(message) if about_all else _read_run_command(message)
    return without_nul(command, payload)


def _read_list(message: pb.RunCommand) -> ListRuns:
    return ListRuns(cluster_id=message.cluster_id, issued_at=read_required_time(message, "issued_time"))


def _read_run_command(message: pb.RunCommand) -> RunCommand:
    return RunCommand(
        cluster_id=message.cluster_id,
        job_id=message.job_id,
        run_id=message.run_id,
        issued_at=read_required_time(message, "issued_time"),
        command=_read(message),
    )


def _read(message: pb.RunCommand) -> CommandContent:
    match message.WhichOneof("command"):
        case "create":
            return _read_create(message.create)
        case "start":
            return StartRun(_read_pod(message.start))
        case "stop":
            return StopRun(_read_pod(message.stop))
        case "discard":
            return DiscardRun(_read_pod(message.discard))
        case _:
            raise WireError("no command")


def _read_pod(message: pb.StartRun | pb.StopRun | pb.DiscardRun) -> PodReference:
    pod = read_pod_reference(message.pod)
    if not (pod.namespace and pod.name and pod.uid):
        raise WireError("namespace, name or uid of the pod missing")
    return pod


def _read_create(message: pb.CreateRun) -> CreateRun:
    if not (message.namespace and message.pod_name and message.pod):
        raise WireError("namespace, pod_name or pod missing from the create")
    return CreateRun(
        queue=message.queue,
        job_set=message.job_set,
        namespace=message.namespace,
        pod_name=message.pod_name,
        index=message.index,
        pod=message.pod,
        lost_cluster=LOST_CLUSTERS.word(message.lost_cluster),
        graceful_shutdown=GRACEFUL_SHUTDOWNS.word(message.graceful_shutdown),
        grace=read_duration(message.grace),
    )
