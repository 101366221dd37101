"""Servers for people: started in the foreground, gone when they are interrupted."""

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn, TextIO

from tests.servers.control_plane import ControlPlane, NotReadyError
from tests.servers.postgres_server import PostgresEndedError, PostgresServer
from tests.servers.pulsar_broker import BrokerEndedError, BrokerNotReadyError, PulsarBroker

_LOOK_SECONDS: Final = 1.0


def run_control_plane(program: Path, out: TextIO, *, controllers: Sequence[str], scheduler: bool) -> int:
    """Run it until KeyboardInterrupt, in a temporary folder that goes with it; 1 if a part of it ends before."""
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
                _watch(control_plane.complain_of_the_ended)
        except NotReadyError as error:
            out.write(f"{error}\n")
            return 1
        except KeyboardInterrupt:
            return 0


def run_pulsar(program: Path, out: TextIO, *, overrides: Mapping[str, str]) -> int:
    """Run a broker until KeyboardInterrupt, in a temporary folder that goes with it; 1 if it ends before."""
    with tempfile.TemporaryDirectory(prefix="pulsar-") as folder:
        began = time.monotonic()
        try:
            with PulsarBroker(program, Path(folder), overrides=overrides) as broker:
                out.write(
                    f"Pulsar at {broker.url}, its admin API at {broker.admin_url}, "
                    f"ready after {time.monotonic() - began:.1f} s\n"
                    f"Settings and log are in {folder}. Ctrl-C ends it, and all that it stored.\n"
                )
                out.flush()
                _watch(broker.complain_if_ended)
        except (BrokerEndedError, BrokerNotReadyError) as error:
            out.write(f"{error}\n")
            return 1
        except KeyboardInterrupt:
            return 0


def run_postgres(program: Path, out: TextIO) -> int:
    """Run a server until KeyboardInterrupt, in a temporary folder that goes with it; 1 if it ends before."""
    began = time.monotonic()
    try:
        with PostgresServer(program) as server:
            out.write(
                f"Postgres at {server.url()}, ready after {time.monotonic() - began:.1f} s\n"
                f"Its log is in {server.folder}. Ctrl-C ends it, and all that it stored.\n"
            )
            out.flush()
            _watch(server.complain_if_ended)
    except PostgresEndedError as error:
        out.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        return 0


def _watch(complain: Callable[[], None]) -> NoReturn:
    """Look after a server until ``complain`` raises."""
    while True:
        complain()
        time.sleep(_LOOK_SECONDS)


def _usage(control_plane: ControlPlane, *, seconds: float) -> str:
    version = control_plane.client().get("/version")["gitVersion"]
    names = ", ".join(control_plane.living())
    return (
        f"Kubernetes {version} at {control_plane.url}, ready after {seconds:.1f} s: {names}\n"
        f"export KUBECONFIG={control_plane.kubeconfig()}\n"
        f"Logs are beside that file. No kubelet: pods run when somebody writes their status. Ctrl-C ends it.\n"
    )
