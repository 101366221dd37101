"""The real control plane does what tests need of it."""

import io
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from http.client import RemoteDisconnected
from pathlib import Path

import pytest

from agent.kube.connection import Connection
from agent.settings.kube import KubeSettings
from tests.child import PIPE, Child, run
from tests.ground.tree import ROOT
from tests.servers.control_plane import ControlPlane, NotReadyError, Options
from tests.servers.control_plane_program import SOURCE, kubernetes_version
from tests.servers.credential import Credential, Token
from tests.servers.foreground import run_control_plane
from tests.servers.patience import until
from tests.servers.process import alive
from tests.servers.sockets import listening
from tests.servers.statuses import ended
from tests.simulator.api import Api, pod

pytestmark = pytest.mark.slow

READY_SECONDS = 150.0
"""A little longer than ControlPlane waits for it."""

StartControlPlane = Callable[[Options], ControlPlane]


def pids_of(control_plane: ControlPlane) -> list[int]:
    return [process.pid for process in control_plane.living().values()]


async def test_it_is_the_kubernetes_that_go_mod_names(real_api: Api) -> None:
    assert (await real_api.get("/version"))["gitVersion"] == kubernetes_version((SOURCE / "go.mod").read_text())


async def test_it_lists_pods_and_takes_their_status(real_api: Api, namespace: str) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    await real_api.create(pods, pod("a", node="node-1"))
    await real_api.patch(f"{pods}/a/status", ended(42))
    listed = await real_api.get(pods, fieldSelector="status.phase=Failed")

    assert [each["metadata"]["name"] for each in listed["items"]] == ["a"]
    assert listed["items"][0]["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 42


def test_it_listens_on_loopback_only(job_controller: ControlPlane) -> None:
    assert len(pids_of(job_controller)) > 2
    assert listening(pids_of(job_controller)) == {"127.0.0.1"}


def credentials(control_plane: ControlPlane) -> dict[str, Credential]:
    return {"token": Token(control_plane.token), "certificate": control_plane.admin_certificate}


@pytest.mark.parametrize("kind", ["token", "certificate"])
async def test_the_agents_own_connection_takes_its_kubeconfig(control_plane: ControlPlane, kind: str) -> None:
    kubeconfig = control_plane.kubeconfig(credentials(control_plane)[kind], name=kind)
    async with await Connection.open(KubeSettings(kubeconfig=kubeconfig)) as connection:
        assert b'"NamespaceList"' in await connection.get("/api/v1/namespaces")


def test_who_is_nobody_is_not_let_in(control_plane: ControlPlane) -> None:
    assert control_plane.client("no-such-token").ask("GET", "/api/v1/pods").status == 401


def test_killed_and_mended_it_has_its_data_and_its_address(control_plane: ControlPlane, namespace: str) -> None:
    client = control_plane.client()
    made = client.create(f"/api/v1/namespaces/{namespace}/pods", pod("a"))
    before = control_plane.api_server.pid
    control_plane.kill_api_server()
    with pytest.raises(OSError, match="refused"):
        client.get("/api/v1/pods")

    control_plane.mend()

    assert control_plane.api_server.pid != before
    assert client.get(f"/api/v1/namespaces/{namespace}/pods/a")["metadata"]["uid"] == made["metadata"]["uid"]


def test_a_paused_etcd_stalls_writes_until_it_is_mended(control_plane: ControlPlane, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    control_plane.etcd.pause()
    # On a busy machine the server may give up in the middle of its answer.
    with suppress(RemoteDisconnected):
        asked = control_plane.client().ask("POST", path, body={"metadata": {"name": "a"}}, query={"timeout": "1s"})
        assert asked.status == 504

    control_plane.mend()

    control_plane.client().create(path, {"metadata": {"name": "b"}})


async def test_a_watch_from_a_forgotten_version_is_gone_after_a_restart(
    control_plane: ControlPlane, real_api: Api, namespace: str
) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    old = (await real_api.get(pods))["metadata"]["resourceVersion"]
    for name in ("a", "b"):
        await real_api.create(pods, pod(name))
    assert control_plane.compact() > int(old)
    control_plane.kill_api_server()
    control_plane.mend()
    async with real_api.watch(pods, resourceVersion=old) as events:
        event = await events.next()

    assert (event["type"], event["object"]["code"]) == ("ERROR", 410)


def test_a_list_of_a_forgotten_version_is_gone_at_once_with_the_flag(start_control_plane: StartControlPlane) -> None:
    own = start_control_plane(Options(durable=True, api_server=("--feature-gates=ListFromCacheSnapshot=false",)))
    client = own.client()
    old = client.get("/api/v1/pods")["metadata"]["resourceVersion"]
    for name in ("a", "b"):
        client.create("/api/v1/namespaces/default/pods", pod(name))
    query = {"resourceVersion": old, "resourceVersionMatch": "Exact"}
    assert client.ask("GET", "/api/v1/pods", query=query).status == 200
    own.compact()

    assert client.ask("GET", "/api/v1/pods", query=query).status == 410


def test_stopped_it_leaves_its_logs_and_no_process(kubernetes_program: Path, tmp_path: Path) -> None:
    with ControlPlane(kubernetes_program, tmp_path / "it") as own:
        own.run_controllers("job-controller")
        own.run_scheduler()
        pids = pids_of(own)
        assert alive(pids) == pids
        assert own.api_server.resident_bytes() > 50_000_000

    assert len(pids) == 4
    assert alive(pids) == []
    assert not own.site.data.exists()
    assert {path.name for path in own.site.folder.glob("*.log")} == {
        f"{name}.log" for name in ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
    }


def test_one_that_cannot_start_says_why_and_leaves_no_process(kubernetes_program: Path, tmp_path: Path) -> None:
    own = ControlPlane(kubernetes_program, tmp_path / "it", options=Options(api_server=("--no-such-flag",)))

    with pytest.raises(NotReadyError, match=r"(?s)kube-apiserver ended:.*no-such-flag"), own:
        pass
    assert own.living() == {}


START_AND_WAIT = """
import sys, time
from pathlib import Path
from tests.servers.control_plane import ControlPlane
with ControlPlane(Path(sys.argv[1]), Path(sys.argv[2])) as it:
    print(*(process.pid for process in it.living().values()), flush=True)
    time.sleep(600)
"""


def test_it_dies_with_who_started_it(start: Callable[..., Child], kubernetes_program: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", START_AND_WAIT, str(kubernetes_program), str(tmp_path / "it")]
    starter = start(command, cwd=ROOT, stdout=PIPE)
    pids = [int(pid) for pid in starter.line(READY_SECONDS).split()]
    assert len(pids) == 2
    assert alive(pids) == pids

    starter.kill()

    until(lambda: alive(pids) == [], "dead")


def test_a_part_whose_starter_is_gone_does_not_start(kubernetes_program: Path) -> None:
    ran = run([kubernetes_program / "controlplane", "etcd"], env={**os.environ, "CONTROLPLANE_PARENT": "1"})

    assert ran.returncode == 1
    assert "process 1, which started this one, is gone" in ran.stderr


def test_a_foreground_says_which_part_ended(kubernetes_program: Path) -> None:
    out = io.StringIO()

    assert run_control_plane(kubernetes_program, out, controllers=["no-such-controller"], scheduler=False) == 1
    assert "kube-controller-manager ended:" in out.getvalue()
    assert "is not in the list of known controllers" in out.getvalue()


@pytest.mark.usefixtures("kubernetes_program")
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_people_can_run_it_in_the_foreground(stop: signal.Signals) -> None:
    command = [sys.executable, "-m", "tests.servers", "run", "kubernetes", "--scheduler"]
    with Child(command, cwd=ROOT, stdout=PIPE) as running:
        prepared, ready, export, _ = (running.line(READY_SECONDS) for _ in range(4))
        kubeconfig = Path(export.removeprefix("export KUBECONFIG=").rstrip())
        assert kubeconfig.is_file()
        running.send(stop)
        rest, _ = running.rest()

    assert prepared == "kubernetes: prepared\n"
    assert "etcd, kube-apiserver, kube-controller-manager, kube-scheduler" in ready
    assert (running.returned(), rest) == (0, "")
    assert not kubeconfig.parent.exists()
