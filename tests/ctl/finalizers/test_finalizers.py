"""``failctl finalizers`` on a real API server, and its table with the reasons why pods are held."""

import io
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.cells import cell_len

from agent.console.exits import Exit, UnreachableError, UsageError
from agent.console.options import ListForm
from agent.console.terminal import visible
from agent.core.run_event import PodReference
from agent.ctl.destination import ApiServerAddress
from agent.ctl.finalizers.finalizers import ListRequest, ReleaseRequest, list_held, release, table, why
from agent.kube.finalizer import FINALIZER
from agent.kube.held_pods import HeldPod
from tests.servers.control_plane import ControlPlane
from tests.servers.patience import until
from tests.servers.service_accounts import Rule, ServiceAccounts
from tests.servers.statuses import ended
from tests.simulator.api import MERGE, STRATEGIC, Json, pod

OTHER = "example.org/other"
NOW = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.mark.parametrize(
    ("phase", "deleted", "waits_for_node", "others", "said"),
    [
        ("Running", False, False, (), "its run is not over"),
        ("Failed", False, False, (), "it has ended; no agent has reported it yet, or"),
        ("Succeeded", False, False, (OTHER,), "it has ended; no agent has reported it yet, or"),
        ("Running", True, True, (), "it is being deleted, and its node has not reported that its containers ended"),
        ("Pending", True, False, (), "it is deleted; no agent has reported it yet, or"),
        ("Failed", True, False, (OTHER,), f"it has other finalizers too: {OTHER}"),
    ],
)
def test_the_reason_why_a_pod_is_held(
    phase: str, others: tuple[str, ...], said: str, *, deleted: bool, waits_for_node: bool
) -> None:
    held = HeldPod(
        pod=PodReference(namespace="ml", name="a", uid="1"),
        phase=phase,
        since=NOW,
        deleted_at=NOW if deleted else None,
        waits_for_node=waits_for_node,
        others=others,
    )

    assert said in why(held)


def held_pod(name: str, *, phase: str = "Failed") -> HeldPod:
    pod = PodReference(namespace="team-a", name=name, uid=name)
    return HeldPod(pod=pod, phase=phase, since=NOW, deleted_at=None, waits_for_node=False, others=())


HELD = [held_pod("train-7b-rlhf-worker-000012-abcde"), held_pod("train-\u202e0", phase="Running")]


@pytest.mark.parametrize("columns", [60, 80, 100, 132])
def test_a_table_of_held_pods_fits_the_terminal_and_keeps_names_and_reasons(columns: int) -> None:
    lines = list(table(HELD, now=NOW + timedelta(hours=2), columns=columns))

    assert max(map(cell_len, lines)) <= columns
    text = " ".join(" ".join(lines).split())
    for held in HELD:
        assert f"{visible(held.pod.name)} 2h {held.phase}" in text
        assert why(held) in text


def test_a_name_that_is_wider_than_the_terminal_loses_its_middle() -> None:
    lines = list(table([held_pod("x" * 80)], now=NOW, columns=60))

    assert max(map(cell_len, lines)) <= 60
    assert "…" in lines[1]
    assert lines[1].startswith("team-a/x")


def test_a_wide_table_of_held_pods_has_a_line_for_each() -> None:
    heading, *rows = table(HELD, now=NOW + timedelta(hours=2), columns=None)

    assert heading.split() == ["POD", "HELD", "FOR", "PHASE", "WHY"]
    assert [row.endswith(why(held)) for row, held in zip(rows, HELD, strict=True)] == [True, True]


@pytest.mark.parametrize("target", ["", "/a", "ml/", "ml/a/b", "/"])
def test_an_invalid_target_is_wrong_usage(target: str) -> None:
    with pytest.raises(UsageError, match="NAMESPACE/POD"):
        release(ReleaseRequest(targets=[target]), out=io.StringIO(), err=io.StringIO())


def test_a_server_that_does_not_answer_is_unreachable() -> None:
    with pytest.raises(UnreachableError):
        list_held(ListRequest(where=ApiServerAddress(url="http://127.0.0.1:1")), clock=lambda: NOW, out=io.StringIO())


def test_two_ways_to_a_server_are_wrong_usage(tmp_path: Path) -> None:
    where = ApiServerAddress(kubeconfig=tmp_path / "config", url="http://127.0.0.1:1")
    with pytest.raises(UsageError, match=r"^command line: give only one of kubeconfig, url and inCluster$"):
        list_held(ListRequest(where=where), clock=lambda: NOW, out=io.StringIO())


class Cluster:
    """A namespace with held pods, and the output of failctl about it."""

    def __init__(self, control_plane: ControlPlane, namespace: str) -> None:
        self.client = control_plane.client()
        self.namespace = namespace
        self.pods = f"/api/v1/namespaces/{namespace}/pods"
        self.where = ApiServerAddress(kubeconfig=control_plane.kubeconfig())

    def create(self, name: str, *finalizers: str) -> None:
        self.client.create(self.pods, pod(name, finalizers=list(finalizers)))

    def finalizers(self, name: str) -> list[str]:
        found: list[str] = self.client.get(f"{self.pods}/{name}")["metadata"].get("finalizers", [])
        return found

    def listed(self, *, output: ListForm = "json", after: timedelta = timedelta(0)) -> str:
        out = io.StringIO()
        request = ListRequest(where=self.where, namespace=self.namespace, output=output)
        assert list_held(request, clock=lambda: datetime.now(UTC) + after, out=out) is Exit.FINE
        return out.getvalue()

    def documents(self) -> list[Json]:
        found: list[Json] = json.loads(self.listed())
        return found

    def release(
        self, targets: Sequence[str], *, yes: bool, where: ApiServerAddress | None = None
    ) -> tuple[Exit, str, str]:
        out, err = io.StringIO(), io.StringIO()
        request = ReleaseRequest(targets=targets, where=where or self.where, yes=yes)
        return release(request, out=out, err=err), out.getvalue(), err.getvalue()


@pytest.fixture(name="cluster")
def a_cluster(control_plane: ControlPlane, namespace: str) -> Cluster:
    return Cluster(control_plane, namespace)


@pytest.mark.slow
def test_held_pods_are_listed_with_since_when_and_why(cluster: Cluster) -> None:
    cluster.create("other", OTHER)
    cluster.create("born", FINALIZER)
    cluster.create("later")
    cluster.client.patch(f"{cluster.pods}/later", {"metadata": {"finalizers": [FINALIZER]}}, STRATEGIC)
    cluster.client.patch(f"{cluster.pods}/born/status", ended(1))

    listed = {document["name"]: document for document in cluster.documents()}
    assert {name: document["why"].partition(";")[0] for name, document in listed.items()} == {
        "born": "it has ended",
        "later": "its run is not over",
    }
    made = datetime.fromisoformat(cluster.client.get(f"{cluster.pods}/born")["metadata"]["creationTimestamp"])
    assert datetime.fromisoformat(listed["born"]["heldSince"]) == made
    assert datetime.fromisoformat(listed["later"]["heldSince"]) >= made

    header, *rows = cluster.listed(output="table", after=timedelta(hours=2)).splitlines()
    assert header.split() == ["POD", "HELD", "FOR", "PHASE", "WHY"]
    assert [row.split()[0] for row in rows] == [f"{cluster.namespace}/born", f"{cluster.namespace}/later"]
    assert all(row.split()[1].startswith(("2h", "1h59m")) for row in rows)


@pytest.mark.slow
def test_an_empty_list_says_so(cluster: Cluster) -> None:
    assert cluster.listed(output="table") == "Our finalizer is on no pod.\n"
    assert cluster.documents() == []


@pytest.mark.slow
def test_nothing_is_done_without_yes(cluster: Cluster) -> None:
    cluster.create("a", FINALIZER)

    code, out, _ = cluster.release([f"{cluster.namespace}/a"], yes=False)

    assert code is Exit.FINE
    assert f"would release {cluster.namespace}/a: its run is not over" in out
    assert cluster.finalizers("a") == [FINALIZER]


@pytest.mark.slow
def test_pods_are_released_by_name_and_by_namespace(cluster: Cluster) -> None:
    for name in ("a", "b", "c"):
        cluster.create(name, FINALIZER, OTHER)

    assert cluster.release([f"{cluster.namespace}/a"], yes=True) == (
        Exit.FINE,
        f"released {cluster.namespace}/a\n",
        "",
    )
    assert [cluster.finalizers(name) for name in ("a", "b")] == [[OTHER], [FINALIZER, OTHER]]

    code, out, _ = cluster.release([cluster.namespace, f"{cluster.namespace}/b"], yes=True)
    assert (code, len(out.splitlines())) == (Exit.FINE, 2)
    assert [cluster.finalizers(name) for name in ("b", "c")] == [[OTHER], [OTHER]]
    for name in ("a", "b", "c"):
        cluster.client.patch(f"{cluster.pods}/{name}", {"metadata": {"finalizers": []}}, MERGE)


@pytest.mark.slow
def test_a_deleted_pod_is_gone_once_it_is_released(cluster: Cluster) -> None:
    cluster.create("a", FINALIZER)
    cluster.client.delete(f"{cluster.pods}/a")
    assert cluster.documents()[0]["deletedAt"] is not None

    cluster.release([f"{cluster.namespace}/a"], yes=True)

    until(lambda: cluster.client.ask("GET", f"{cluster.pods}/a").status == 404, "gone")


@pytest.mark.slow
def test_a_pod_that_is_not_held_exits_with_code_1(cluster: Cluster) -> None:
    code, out, err = cluster.release([f"{cluster.namespace}/nobody"], yes=True)

    assert (code, out) == (Exit.FINDING, "")
    assert err == f"failctl: our finalizer is not on {cluster.namespace}/nobody\n"


@pytest.mark.slow
def test_a_missing_permission_to_patch_is_reported(cluster: Cluster, service_accounts: ServiceAccounts) -> None:
    cluster.create("a", FINALIZER)
    account = service_accounts.make("reader")
    service_accounts.grant(account, [Rule(verbs=("list",), resources=("pods",))], everywhere=False)

    code, _, err = cluster.release(
        [f"{cluster.namespace}/a"], yes=True, where=ApiServerAddress(kubeconfig=account.kubeconfig)
    )

    assert code is Exit.FINDING
    assert f"failctl: {cluster.namespace}/a: you may not patch pods there: " in err
