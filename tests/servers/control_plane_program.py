"""The program ``controlplane``: etcd, kube-apiserver, its controllers, kube-scheduler and kubectl in one file."""

import re
from pathlib import Path
from typing import Final

from tests.servers.go_program import GoProgram
from tests.servers.progress import Progress

SOURCE: Final = Path(__file__).parent / "controlplane"
PROGRAM: Final = "controlplane"
KUBECTL: Final = "kubectl"
"""A link to the program, which is kubectl under this name."""

_REQUIRED: Final = re.compile(r"^(?:require )?\s*k8s\.io/kubernetes (?P<version>v1\.\d+\.\d+)$", re.MULTILINE)
_VERSION: Final = "k8s.io/component-base/version"


class ControlPlaneProgram:
    """Real Kubernetes for tests. Its version is the one go.mod requires, and it says so when it is asked."""

    name: Final = "kubernetes"
    cost: Final = "about 7 minutes of two processors, 4 GB of disk"

    def key(self) -> str:
        return self._program().fingerprint()

    def build(self, into: Path, *, jobs: int, progress: Progress) -> None:
        self._program().build(into / PROGRAM, jobs=jobs, progress=progress)
        (into / KUBECTL).symlink_to(PROGRAM)

    def _program(self) -> GoProgram:
        version = kubernetes_version((SOURCE / "go.mod").read_text(encoding="utf-8"))
        minor = version.split(".")[1]
        variables = {"gitVersion": version, "gitMajor": "1", "gitMinor": minor}
        return GoProgram(
            source=SOURCE, variables=tuple((f"{_VERSION}.{name}", value) for name, value in variables.items())
        )


def kubernetes_version(go_mod: str) -> str:
    """The version of Kubernetes that a go.mod requires, as ``v1.35.4``."""
    required = _REQUIRED.search(go_mod)
    if required is None:
        raise ValueError("go.mod requires no k8s.io/kubernetes")
    return required["version"]
