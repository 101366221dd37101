"""Failure scripts: the steps of a pod's status, as a real kubelet and the control plane wrote them.

A file holds ``scripts:``, a list. Each says where its sequence comes from (``source``). In every text ``{pod}``,
``{namespace}``, ``{uid}`` and ``{node}`` stand for the pod at hand, ``{container}`` and ``{image}`` for the container
that plays ``main``.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import msgspec
from msgspec import Struct

from agent.documents.checked import read_plain
from agent.documents.grammar import LABELLED
from agent.documents.problem import ManifestError
from agent.documents.source import read_file
from agent.simulator.times import Seconds, seconds

MAIN: Final = "main"
"""The container that a script plays in a pod that has only one, whatever that is named."""

SEPARATOR: Final = ","
"""Between the names of the scripts that the runs of a job play one after the other."""

_Said = TypeVar("_Said")


class FileError(Exception):
    """A file of the simulator cannot be read; the text names it, and line and column."""


def read_yaml(path: Path) -> object:
    """Return what a file of scripts or workloads says, texts as programs wrote them. Raises FileError."""
    try:
        return read_plain(read_file(path), file=str(path), grammar=LABELLED)
    except (OSError, ManifestError) as error:
        raise FileError(str(error)) from error


class ScriptError(Exception):
    """A script file cannot be used; says where and why."""


class Exit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """How a container ended. ``unstarted``: its process never ran, so it started in 1970 (containerd)."""

    exit_code: int
    reason: str = "Error"
    message: str = ""
    signal: int | None = None
    unstarted: bool = False


_KILLED: Final = Exit(exit_code=137)
_LEAST_GRACE_SECONDS: Final = 1.0
"""What the kubelet gives containers of a pod that is deleted by force (pkg/kubelet/pod_workers.go)."""


class Waiting(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    reason: str
    message: str = ""


class Condition(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    type: str
    status: Literal["True", "False", "Unknown"]
    reason: str = ""
    message: str = ""


class EventText(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event, about the pod or its node."""

    reason: str
    message: str
    type: Literal["Normal", "Warning"] = "Warning"
    component: str = "kubelet"


class Taint(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    key: str
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    value: str = ""


class NodeChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What happens to the pod's node. ``delete``: the object goes, not the machine; ``returns``: it is there again."""

    conditions: tuple[Condition, ...] = ()
    taints: tuple[Taint, ...] = ()
    unschedulable: bool | None = None
    events: tuple[EventText, ...] = ()
    delete: bool = False
    returns: bool = False


class ScriptStep(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step, ``after`` the one before. All its changes to the pod's status are one write.

    ``bind``: scheduled, on a node of the pool (``shared``) or on one of its own (``own``). ``waiting``, ``running``,
    ``exited``, ``restarted``: states of containers by name; ``restarted`` ended so and runs again. ``rejected``: the
    kubelet did not admit the pod: no container has a status. ``delete``: a client deletes the pod, with these seconds
    of grace; ``remove``: its kubelet, or the pod garbage collector, removes it. ``record``: at this moment the run
    ended (``end``) or must be stopped by others (``halt``).
    """

    after: str = "0s"
    bind: Literal["shared", "own"] | None = None
    waiting: dict[str, Waiting] = {}
    running: tuple[str, ...] = ()
    exited: dict[str, Exit] = {}
    restarted: dict[str, Exit] = {}
    rejected: bool = False
    phase: Literal["Pending", "Running", "Succeeded", "Failed"] | None = None
    reason: str | None = None
    message: str | None = None
    conditions: tuple[Condition, ...] = ()
    events: tuple[EventText, ...] = ()
    node: NodeChange | None = None
    log: dict[str, str] = {}
    delete: int | None = None
    remove: bool = False
    record: Literal["end", "halt"] | None = None

    def __post_init__(self) -> None:
        """Raises ValueError if ``after`` is no duration."""
        seconds(self.after)

    @property
    def delay(self) -> Seconds:
        """Seconds since the step before."""
        return seconds(self.after)

    @property
    def containers(self) -> frozenset[str]:
        """The containers to which something happens."""
        return frozenset((*self.waiting, *self.running, *self.exited, *self.restarted, *self.log))

    def with_main(self, name: str) -> "ScriptStep":
        """The same with this name for ``main``."""
        return msgspec.structs.replace(
            self,
            waiting=_renamed(self.waiting, name),
            running=tuple(name if container == MAIN else container for container in self.running),
            exited=_renamed(self.exited, name),
            restarted=_renamed(self.restarted, name),
            log=_renamed(self.log, name),
        )

    @property
    def writes_status(self) -> bool:
        """Whether the pod's status changes."""
        return bool(
            self.waiting
            or self.running
            or self.exited
            or self.restarted
            or self.conditions
            or self.rejected
            or self.phase is not None
        )


class Stop(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the running containers do on SIGTERM: ``after`` that they end with ``exit``.

    The kubelet kills them (137) where that is longer than their grace period.
    """

    after: str = "500ms"
    exit: Exit = Exit(exit_code=143)

    def __post_init__(self) -> None:
        """Raises ValueError if ``after`` is no duration."""
        seconds(self.after)

    def within(self, grace: Seconds) -> tuple[Seconds, Exit]:
        """When the containers end, and how, if they have so much time. The kubelet gives them at least a second."""
        given = max(_LEAST_GRACE_SECONDS, grace)
        return (given, _KILLED) if seconds(self.after) > given else (seconds(self.after), self.exit)


class Script(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of run. ``pod`` is merged into the pod that the workload makes; ``weight`` is how often it is played.

    ``injected`` is what a webhook of the platform merges into every pod that is to play it, whoever creates that.
    ``stop`` is what happens when somebody deletes the pod.
    """

    name: str
    kind: str
    source: str
    steps: tuple[ScriptStep, ...]
    weight: float = 1.0
    pod: dict[str, Any] = {}
    injected: dict[str, Any] = {}
    stop: Stop = Stop()

    def __post_init__(self) -> None:
        """Raises ValueError for a name that separates names, and for a script that records its end twice."""
        if SEPARATOR in self.name:
            raise ValueError(f"the name of the script {self.name!r} has a {SEPARATOR!r}")
        if len([step for step in self.steps if step.record is not None]) > 1:
            raise ValueError(f"the script {self.name} records its end twice")

    @property
    def containers(self) -> frozenset[str]:
        """The containers that it plays, init containers among them."""
        return frozenset(name for step in self.steps for name in step.containers)

    def with_main(self, name: str) -> "Script":
        """The same with this name for ``main``."""
        return (
            self if name == MAIN else msgspec.structs.replace(self, steps=tuple(s.with_main(name) for s in self.steps))
        )

    @property
    def fails(self) -> bool:
        """Whether the run ends badly."""
        return any(step.record is not None for step in self.steps)


def _renamed(said: Mapping[str, _Said], name: str) -> dict[str, _Said]:
    return {name if container == MAIN else container: what for container, what in said.items()}


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    scripts: tuple[Script, ...]


def load_scripts(files: tuple[Path, ...]) -> dict[str, Script]:
    """Read script files, in order; names must be unique. Raises ScriptError."""
    scripts: dict[str, Script] = {}
    for path in files:
        for script in _read(path):
            if script.name in scripts:
                raise ScriptError(f"{path}: there are two scripts {script.name}")
            scripts[script.name] = script
    return scripts


def _read(path: Path) -> tuple[Script, ...]:
    try:
        return msgspec.convert(read_yaml(path), _File).scripts
    except FileError as error:
        raise ScriptError(str(error)) from error
    except msgspec.ValidationError as error:
        raise ScriptError(f"{path}: {error}") from error
