"""A control plane: etcd and kube-apiserver, and controllers when they are wanted, as processes on loopback."""

import json
import secrets
import shutil
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tests.child import run
from tests.servers import jobset_program
from tests.servers import site as parts
from tests.servers.client import Client
from tests.servers.control_plane_program import PROGRAM
from tests.servers.credential import ClientCertificate, Credential, Token, write_kubeconfig
from tests.servers.leash import leashed
from tests.servers.patience import until
from tests.servers.ports import free_ports
from tests.servers.process import ServerProcess
from tests.servers.site import Site

_ETCD: Final = "etcd"
_API_SERVER: Final = "kube-apiserver"
_CONTROLLERS: Final = "kube-controller-manager"
_READY_SECONDS: Final = 120.0
_POLL_SECONDS: Final = 0.05


class NotReadyError(Exception):
    """A control plane ended, or is not ready in time. The text has the end of the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a control plane differs from the usual one.

    ``durable``: etcd syncs to disk. ``api_server``: more of kube-apiserver's flags; worth knowing are
    ``--feature-gates=ListFromCacheSnapshot=false`` (410 at once after ``compact``, else within 15 s),
    ``--min-request-timeout=3`` (watches are closed after 3 to 6 s), and for plain-text 429 to whoever is not of
    system:masters ``--enable-priority-and-fairness=false --max-mutating-requests-inflight=1``. ``controllers``: more of
    kube-controller-manager's; gates that are locked go off under ``--emulated-version=kube=1.32``.
    """

    durable: bool = False
    api_server: tuple[str, ...] = ()
    controllers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPace:
    """How long the Job controller waits before it replaces a failed pod, and gathers changes, in Go's words."""

    failure_backoff: str
    sync_batch: str


QUICK: Final = JobPace(failure_backoff="100ms", sync_batch="50ms")
STOCK: Final = JobPace(failure_backoff="10s", sync_batch="1s")


class ControlPlane:
    """One control plane in a folder of its own; ``program`` is the folder of the prepared server.

    Starts on entering ``with`` (2 to 3 s) and is gone after leaving it, but for its logs. Without controllers no
    ServiceAccount, Job or deleted namespace is seen to, and without a kubelet no pod runs: a test writes the status.
    To be used by the main thread (ServerProcess).
    """

    def __init__(self, program: Path, folder: Path, *, options: Options | None = None) -> None:
        self._program: Final = str(program / PROGRAM)
        self._options: Final = options or Options()
        api_port, etcd_port, peer_port = free_ports(3)
        self.site: Final = Site(folder=folder, api_port=api_port, etcd_port=etcd_port, peer_port=peer_port)
        self.token: Final = secrets.token_hex(16)
        self._processes: dict[str, ServerProcess] = {}
        self._spawns: dict[str, Callable[[], ServerProcess]] = {}

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start etcd and the API server, and wait until it is ready. Raises NotReadyError."""
        self.site.keys.mkdir(parents=True)
        self._tool("keys", str(self.site.keys))
        self.site.tokens.touch(mode=0o600)
        self.site.tokens.write_text(f'{self.token},admin,admin,"system:masters"\n', encoding="utf-8")
        self._run(parts.etcd(self.site, durable=self._options.durable))
        self._run(parts.api_server(self.site, self._options.api_server))
        self.wait_until_ready()

    def stop(self) -> None:
        """Kill all of it, and remove etcd's data; logs stay. Fine if nothing runs."""
        for name in reversed(list(self._processes)):
            self._processes.pop(name).kill()
        shutil.rmtree(self.site.data, ignore_errors=True)

    def run_controllers(self, *controllers: str, pace: JobPace = QUICK) -> None:
        """Run these of kube-controller-manager's controllers (``job-controller``, ``namespace-controller``, ...)."""
        environ = {"JOB_POD_FAILURE_BACKOFF": pace.failure_backoff, "JOB_SYNC_BATCH": pace.sync_batch}
        self._run(parts.controller_manager(self.kubeconfig(), controllers, self._options.controllers), environ)

    def end_controllers(self) -> None:
        """Kill kube-controller-manager. It stays away, also when others are mended."""
        self._processes.pop(_CONTROLLERS).kill()

    def run_jobsets(self, program: Path) -> None:
        """Run JobSet's controller, prepared in the folder ``program``, and create its custom resource."""
        self._create_resource(program / jobset_program.RESOURCE)
        command = leashed([str(program / jobset_program.PROGRAM)])
        self._spawn(jobset_program.PROGRAM, command, {"KUBECONFIG": str(self.kubeconfig())})

    def run_scheduler(self) -> None:
        """Run kube-scheduler."""
        self._run(parts.scheduler(self.kubeconfig()))

    def kill_api_server(self) -> None:
        """``kill -9`` the API server. ``mend`` starts it again, on the same port and data."""
        self.api_server.kill()

    def mend(self) -> None:
        """Start again what has ended, resume what is paused, and wait until the API server is ready."""
        for name, process in self._processes.items():
            if process.lives():
                process.resume()
            else:
                self._processes[name] = self._spawns[name]()
        self.wait_until_ready()

    def compact(self, revision: int | None = None) -> int:
        """Have etcd forget what was before this revision (now, if None), as the API server would; that revision.

        A list at an older one is refused with 410 within 15 s. A *watch* is still served from the API server's memory:
        it gets its 410 after ``kill_api_server`` and ``mend``.
        """
        return int(self._tool("compact", self.site.etcd_url, *([] if revision is None else [str(revision)])))

    def wait_until_ready(self) -> None:
        """Wait for ``/readyz`` and for the namespaces every cluster has. Raises NotReadyError."""
        deadline = time.monotonic() + _READY_SECONDS
        while not self._is_ready():
            self.complain_of_the_ended()
            if time.monotonic() > deadline:
                words = self.api_server.last_words()
                raise NotReadyError(f"kube-apiserver is not ready after {_READY_SECONDS:.0f} s:\n{words}")
            time.sleep(_POLL_SECONDS)

    def living(self) -> Mapping[str, ServerProcess]:
        """The processes that have not ended, by name."""
        return {name: process for name, process in self._processes.items() if process.lives()}

    def complain_of_the_ended(self) -> None:
        """Raise NotReadyError, with the end of its log, if one of the processes has ended."""
        for name, process in self._processes.items():
            if not process.lives():
                raise NotReadyError(f"{name} ended:\n{process.last_words()}")

    @property
    def url(self) -> str:
        """Where the API server answers."""
        return self.site.url

    @property
    def authority(self) -> Path:
        """The certificate, as a file, that the API server's is signed with."""
        return self.site.keys / "ca.crt"

    @property
    def admin_certificate(self) -> ClientCertificate:
        """A certificate of the user ``admin``, who may do everything."""
        return ClientCertificate(certificate=self.site.keys / "admin.crt", key=self.site.keys / "admin.key")

    @property
    def etcd(self) -> ServerProcess:
        """The process of etcd; paused, the API server has no storage."""
        return self._processes[_ETCD]

    @property
    def api_server(self) -> ServerProcess:
        """The process of kube-apiserver."""
        return self._processes[_API_SERVER]

    def tls(self) -> ssl.SSLContext:
        """What trusts this control plane and nothing else."""
        return ssl.create_default_context(cafile=self.authority)

    def client(self, token: str | None = None) -> Client:
        """A client in the name of the token's owner; of ``admin`` without one."""
        return Client(url=self.url, tls=self.tls(), token=token or self.token)

    def kubeconfig(self, credential: Credential | None = None, *, name: str = "admin") -> Path:
        """A kubeconfig in this control plane's folder, for ``admin`` and his token if nothing else is said."""
        file = self.site.folder / f"{name}.kubeconfig"
        return write_kubeconfig(
            file, url=self.url, authority=self.authority, credential=credential or Token(self.token)
        )

    def _run(self, command: Sequence[str], environ: Mapping[str, str] | None = None) -> None:
        self._spawn(command[0], [self._program, *command], environ)

    def _spawn(self, name: str, command: Sequence[str], environ: Mapping[str, str] | None) -> None:
        if name in self.living():
            raise ValueError(f"{name} runs already")
        spawn = partial(ServerProcess, command, log=self.site.folder / f"{name}.log", environ=environ)
        self._spawns[name] = spawn
        self._processes[name] = spawn()

    def _create_resource(self, file: Path) -> None:
        """Create a CustomResourceDefinition, and wait until the API server serves it."""
        wanted = json.loads(file.read_text(encoding="utf-8"))
        client, path = self.client(), "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        made = client.ask("POST", path, body=wanted)
        if made.status not in {201, 409}:
            raise NotReadyError(f"{file.name}: {made.body.decode(errors='replace')}")
        spec = wanted["spec"]
        served = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
        until(lambda: client.ask("GET", served).status == 200, f"{served} served")

    def _tool(self, *command: str) -> str:
        ran = run([self._program, *command])
        if ran.returncode != 0:
            raise NotReadyError(f"controlplane {command[0]} ended with {ran.returncode}: {ran.stderr.strip()}")
        return ran.stdout

    def _is_ready(self) -> bool:
        client = self.client()
        paths = ("/readyz", *(f"/api/v1/namespaces/{name}" for name in ("default", "kube-system")))
        try:
            return all(client.ask("GET", path, seconds=5).status == 200 for path in paths)
        except (OSError, HTTPException):
            return False
