"""``failctl classify pod`` on the simulator, and with few rights on a real API server."""

import asyncio
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.console.exits import Exit, UnreachableError, UsageError
from agent.console.options import ListForm
from agent.ctl.classify.answers import Shown
from agent.ctl.classify.cluster import failed_logs, read_pod
from agent.ctl.classify.commands import check_sources, pod_names
from agent.ctl.classify.pods import PodsRequest, run
from agent.ctl.classify.policies import AskedPolicies
from agent.ctl.destination import ApiServerAddress
from agent.diagnose.subject import Subject
from agent.kube import objects
from agent.observe.templates import template_of
from agent.simulator.kinds import NODES
from tests.kube.cluster import Cluster, cluster
from tests.servers.control_plane import ControlPlane
from tests.servers.service_accounts import Rule, ServiceAccounts
from tests.servers.statuses import ended
from tests.simulator.api import PODS, Json, pod

EVENTS = "/api/v1/namespaces/default/events"
RULES = Path(__file__).with_name("rules.yaml")
OOM: Json = {"exitCode": 137, "reason": "OOMKilled"}


async def failed(it: Cluster, name: str = "a", *, container: Json | None = None, **meta: Any) -> Json:
    """A pod on node n1 that failed, with an event; and what its container wrote, before and after a restart."""
    made = await it.api.create(PODS, pod(name, node="n1", **meta))
    status = {"name": "main", "state": {"terminated": OOM}, "lastState": {"terminated": {"exitCode": 1}}}
    statuses = [status | (container or {})]
    await it.api.patch(f"{PODS}/{name}/status", {"status": {"phase": "Failed", "containerStatuses": statuses}})
    about = {"kind": "Pod", "namespace": "default", "name": name, "uid": made["metadata"]["uid"]}
    event = {"metadata": {"name": f"{name}.1"}, "involvedObject": about, "type": "Warning", "reason": "BackOff"}
    await it.api.create(EVENTS, event | {"message": "it waits to be started again"})
    it.simulation.logs.append(made["metadata"]["uid"], "main", "the first try\n")
    it.simulation.logs.rotate(made["metadata"]["uid"], "main")
    it.simulation.logs.append(made["metadata"]["uid"], "main", "the second try\n")
    return made


async def asked_pods(it: Cluster, *names: str, policies: Sequence[Path]) -> str:
    """What is answered for pods, with the verdict of these policies."""
    out = io.StringIO()
    where = ApiServerAddress(url=it.simulation.url)
    request = PodsRequest(
        names=names, where=where, rules=RULES, asked=AskedPolicies(files=policies), shown=Shown(decided=True)
    )
    await asyncio.to_thread(run, request, out=out, err=io.StringIO())
    return out.getvalue()


def add_node(it: Cluster) -> None:
    conditions = [{"type": "MemoryPressure", "status": "True", "reason": "KubeletHasInsufficientMemory"}]
    node = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n1", "uid": "n1"}, "spec": {}}
    it.simulation.registry.store.put(NODES, node | {"status": {"conditions": conditions}})


async def read(it: Cluster, name: str = "a", *, logs: bool = False) -> Subject:
    subject = await read_pod(it.connection, "default", name, logs=logs)
    assert subject is not None
    return subject


async def asked(it: Cluster, *names: str, form: ListForm = "table", logs: bool = False) -> tuple[Exit, str, str]:
    out, err = io.StringIO(), io.StringIO()
    where = ApiServerAddress(url=it.simulation.url)
    request = PodsRequest(names=names, where=where, rules=RULES, logs=logs, shown=Shown(form=form))
    code = await asyncio.to_thread(run, request, out=out, err=err)
    return code, out.getvalue(), err.getvalue()


async def test_a_pod_is_read_with_its_events_and_its_node() -> None:
    async with cluster() as it:
        add_node(it)
        await failed(it)
        subject = await read(it)

    assert subject.name == "default/a"
    assert [event.message for event in subject.events] == ["it waits to be started again"]
    assert subject.node is not None
    assert not subject.log_tails
    assert not subject.missing


async def test_logs_are_read_if_they_are_asked_for() -> None:
    async with cluster() as it:
        add_node(it)
        await failed(it)
        subject = await read(it, logs=True)

    tails = [(tail.container, tail.previous, tail.text) for tail in subject.log_tails]
    assert tails == [("main", False, "the second try\n"), ("main", True, "the first try\n")]


async def test_a_read_that_is_forbidden_is_missing_evidence() -> None:
    async with cluster() as it:
        await failed(it)
        for verb, resource in (("list", "events"), ("get", "nodes"), ("log", "pods")):
            await it.api.add_fault(kind="status", verb=verb, resource=resource, code=403, times=9)
        code, out, err = await asked(it, "a", logs=True)

    assert (code, err) == (Exit.FINE, "")
    assert "container main passed its memory limit" in out
    for what in (
        "events: 403",
        "node n1: 403",
        "events of node n1: 403",
        "log of main: 403",
        "previous log of main: 403",
    ):
        assert what in out


async def test_the_job_and_its_job_set_are_named_and_asked() -> None:
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "j1", "controller": True}
    labels = {"jobset.sigs.k8s.io/jobset-name": "night"}
    async with cluster() as it:
        add_node(it)
        await failed(it, ownerReferences=[owner], labels=labels)
        subject = await read(it)
        _, out, _ = await asked(it, "a")

    # The simulator has neither kind, so that both are missing.
    assert [missing.what for missing in subject.missing] == ["Job train", "JobSet night"]
    assert "Created by  Job train, JobSet night\n" in out


async def test_several_pods_are_a_table_and_one_that_does_not_exist_is_reported() -> None:
    async with cluster() as it:
        await failed(it)
        await failed(it, "b")
        code, out, err = await asked(it, "a", "gone", "b", form="name")

    assert (code, out) == (Exit.FINDING, "default/a\ndefault/b\n")
    assert err == "failctl: there is no pod gone in namespace default\n"


async def test_no_pod_at_all_writes_nothing() -> None:
    async with cluster() as it:
        assert await asked(it, "gone") == (
            Exit.FINDING,
            "",
            "failctl: there is no pod gone in namespace default\n",
        )


async def test_a_document_has_the_node_and_the_events_too() -> None:
    async with cluster() as it:
        add_node(it)
        await failed(it)
        document = json.loads((await asked(it, "a", form="json"))[1])

    assert (document["node"], document["container"], document["exitCode"]) == ("n1", "main", 137)
    assert document["fault"] == "the job"
    assert [event["message"] for event in document["failure"]["events"]] == ["it waits to be started again"]


async def test_a_refusal_of_the_pod_itself_ends_it() -> None:
    async with cluster() as it:
        await it.api.add_fault(kind="status", verb="get", resource="pods", code=403, times=1)
        with pytest.raises(UnreachableError, match="403"):
            await asked(it, "a")


def test_a_server_that_does_not_answer_is_unreachable() -> None:
    request = PodsRequest(names=["a"], where=ApiServerAddress(url="http://127.0.0.1:1"), rules=RULES)
    with pytest.raises(UnreachableError):
        run(request, out=io.StringIO(), err=io.StringIO())


def test_a_kubeconfig_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    request = PodsRequest(names=["a"], where=ApiServerAddress(kubeconfig=tmp_path / "config"), rules=RULES)
    with pytest.raises(UsageError):
        run(request, out=io.StringIO(), err=io.StringIO())


@pytest.mark.parametrize("words", [["pod"], ["job", "a"], ["a"], ["pod", ""]])
def test_a_target_is_a_pod_with_a_name(words: list[str]) -> None:
    with pytest.raises(UsageError, match="write pod NAME"):
        pod_names(words)


@pytest.mark.parametrize(
    ("target", "files", "more", "said"),
    [
        ([], [], {}, "name files of pods with -f"),
        (["pod", "a"], ["-"], {}, "name files of pods with -f"),
        ([], ["-"], {"logs": True}, "not about files"),
        ([], ["-"], {"namespace": "ml"}, "not about files"),
        ([], ["-"], {"where": ApiServerAddress(context="c")}, "not about files"),
    ],
)
def test_files_and_a_cluster_are_two_ways_to_ask(
    target: list[str], files: list[str], more: Mapping[str, Any], said: str
) -> None:
    given: Mapping[str, Any] = {"where": ApiServerAddress(), "namespace": "", "logs": False} | dict(more)
    with pytest.raises(UsageError, match=said):
        check_sources(target, files, **given)


def container(name: str, *, now: int | None = None, before: int | None = None) -> objects.ContainerStatus:
    return objects.ContainerStatus(name=name, state=_ended(now), lastState=_ended(before))


def _ended(code: int | None) -> objects.State | None:
    return None if code is None else objects.State(terminated=objects.Terminated(exitCode=code))


def test_only_the_logs_of_failed_containers_are_read() -> None:
    statuses = [container("fine", now=0), container("main", now=1, before=2), container("again", before=3)]
    status = objects.PodStatus(containerStatuses=statuses, initContainerStatuses=[container("init", now=4)])

    assert list(failed_logs(objects.Pod(status=status))) == [
        ("main", False),
        ("main", True),
        ("again", True),
        ("init", False),
    ]


def test_submitted_containers_are_those_in_the_template_of_the_owner() -> None:
    template = objects.PodTemplate(spec=objects.PodSpec(containers=[objects.ContainerSpec(name="main")]))
    job = objects.Job(metadata=objects.Metadata(uid="j1"), spec=objects.JobSpec(template=template))
    owner = objects.Owner(kind="Job", name="train", uid="j1", controller=True)
    owned = objects.Pod(metadata=objects.Metadata(ownerReferences=[owner]))

    assert template_of(owned, [job]) == ("main",)
    assert template_of(owned, []) is None
    assert template_of(objects.Pod(), [job]) is None


@pytest.mark.slow
def test_with_few_rights_the_pod_is_still_explained(
    control_plane: ControlPlane, namespace: str, service_accounts: ServiceAccounts
) -> None:
    client, pods = control_plane.client(), f"/api/v1/namespaces/{namespace}/pods"
    client.create(pods, pod("a", node="n1"))
    client.patch(f"{pods}/a/status", ended(3))
    account = service_accounts.make("reader")
    service_accounts.grant(account, [Rule(verbs=("get",), resources=("pods",))], everywhere=False)
    out, err = io.StringIO(), io.StringIO()
    where = ApiServerAddress(kubeconfig=account.kubeconfig)
    request = PodsRequest(names=["a"], namespace=namespace, where=where, logs=True)

    assert run(request, out=out, err=err) is Exit.FINE

    told = out.getvalue()
    assert "container main ended (exit 3)" in told
    for what in ("events: 403 Forbidden", "node n1: 403 Forbidden", "log of main: 403 Forbidden"):
        assert what in told
