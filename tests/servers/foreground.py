"""A control plane for people: started in the foreground, gone when it is interrupted."""

import signal
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TextIO

from tests.servers.control_plane import ControlPlane, NotReadyError

_STOPPING: Final = frozenset({signal.SIGINT, signal.SIGTERM})
_LOOK_SECONDS: Final = 1.0


def run_control_plane(program: Path, out: TextIO, *, controllers: Sequence[str], scheduler: bool) -> int:
    """Run it until SIGINT or SIGTERM, in a temporary folder that goes with it; 1 if a part of it ends before."""
    with tempfile.TemporaryDirectory(prefix="kubernetes-") as folder:
        began = time.monotonic()
        try:
            with ControlPlane(program, Path(folder)) as control_plane:
                if controllers:
                    control_plane.run_controllers(*controllers)
                if scheduler:
                    control_plane.run_scheduler()
                out.write(_usage(control_plane, seconds=time.monotonic() - began))
                out.flush()
                return _until_stopped(control_plane, out)
        except NotReadyError as error:
            out.write(f"{error}\n")
            return 1
        except KeyboardInterrupt:
            return 0


def _usage(control_plane: ControlPlane, *, seconds: float) -> str:
    version = control_plane.client().get("/version")["gitVersion"]
    names = ", ".join(control_plane.living())
    return (
        f"Kubernetes {version} at {control_plane.url}, ready after {seconds:.1f} s: {names}\n"
        f"export KUBECONFIG={control_plane.kubeconfig()}\n"
        f"Logs are beside that file. No kubelet: pods run when somebody writes their status. Ctrl-C ends it.\n"
    )


def _until_stopped(control_plane: ControlPlane, out: TextIO) -> int:
    started = control_plane.living()
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    while signal.sigtimedwait(_STOPPING, _LOOK_SECONDS) is None:
        for name in started.keys() - control_plane.living().keys():
            out.write(f"{name} ended:\n{started[name].last_words()}\n")
            return 1
    return 0
