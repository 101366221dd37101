"""The site of a control plane: its folder and ports; and, from that, the command line of each of its parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_LOOPBACK: Final = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where one control plane is. It listens on loopback only; etcd holds its data in the folder."""

    folder: Path
    api_port: int
    etcd_port: int
    peer_port: int

    @property
    def url(self) -> str:
        """Where the API server answers."""
        return f"https://{_LOOPBACK}:{self.api_port}"

    @property
    def etcd_url(self) -> str:
        """Where etcd answers, to everybody on this machine."""
        return f"http://{_LOOPBACK}:{self.etcd_port}"

    @property
    def keys(self) -> Path:
        """The folder that ``controlplane keys`` fills."""
        return self.folder / "keys"

    @property
    def data(self) -> Path:
        """What etcd keeps."""
        return self.folder / "etcd"

    @property
    def tokens(self) -> Path:
        """The API server's file of static tokens."""
        return self.folder / "tokens.csv"


def etcd(site: Site, *, durable: bool) -> list[str]:
    """Etcd with one member. It elects itself ten times sooner than it would; unless ``durable`` it never fsyncs."""
    peer = f"http://{_LOOPBACK}:{site.peer_port}"
    return [
        "etcd",
        "--name=only",
        f"--data-dir={site.data}",
        f"--listen-client-urls={site.etcd_url}",
        f"--advertise-client-urls={site.etcd_url}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=only={peer}",
        "--log-level=warn",
        "--heartbeat-interval=20",
        "--election-timeout=200",
        *([] if durable else ["--unsafe-no-fsync"]),
    ]


def api_server(site: Site, flags: Sequence[str]) -> list[str]:
    """kube-apiserver; ``flags`` come last, so they win. Pods need no ServiceAccount: nobody makes the default one."""
    return [
        "kube-apiserver",
        f"--etcd-servers={site.etcd_url}",
        f"--bind-address={_LOOPBACK}",
        f"--advertise-address={_LOOPBACK}",
        f"--secure-port={site.api_port}",
        "--endpoint-reconciler-type=none",
        f"--tls-cert-file={site.keys}/apiserver.crt",
        f"--tls-private-key-file={site.keys}/apiserver.key",
        f"--client-ca-file={site.keys}/ca.crt",
        f"--token-auth-file={site.tokens}",
        "--authorization-mode=RBAC",
        "--anonymous-auth=false",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={site.keys}/service-accounts.key",
        f"--service-account-signing-key-file={site.keys}/service-accounts.key",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--disable-admission-plugins=ServiceAccount",
        "--shutdown-delay-duration=0s",
        *flags,
    ]


def controller_manager(kubeconfig: Path, controllers: Sequence[str], flags: Sequence[str] = ()) -> list[str]:
    """kube-controller-manager with these controllers only. Port 0 keeps it from listening on every address."""
    return [
        "kube-controller-manager",
        f"--kubeconfig={kubeconfig}",
        f"--controllers={','.join(controllers)}",
        "--leader-elect=false",
        "--secure-port=0",
        "--kube-api-qps=200",
        "--kube-api-burst=400",
        *flags,
    ]


def scheduler(kubeconfig: Path) -> list[str]:
    """kube-scheduler, which listens nowhere either."""
    return ["kube-scheduler", f"--kubeconfig={kubeconfig}", "--leader-elect=false", "--secure-port=0"]
