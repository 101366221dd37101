"""What each part of a control plane is told: where it listens, above all."""

import re
from pathlib import Path

import pytest

from tests.servers.site import Site, api_server, controller_manager, etcd, scheduler

SITE = Site(folder=Path("/site"), api_port=1001, etcd_port=1002, peer_port=1003)
KUBECONFIG = Path("/site/admin.kubeconfig")
ALL = {
    "etcd": etcd(SITE, durable=False),
    "kube-apiserver": api_server(SITE, []),
    "kube-controller-manager": controller_manager(KUBECONFIG, ["job-controller"]),
    "kube-scheduler": scheduler(KUBECONFIG),
}


@pytest.mark.parametrize("name", ALL)
def test_a_command_names_its_part_and_no_address_but_loopback(name: str) -> None:
    command = ALL[name]

    assert command[0] == name
    addresses = re.findall(r"\b\d+\.\d+\.\d+\.\d+\b(?!/)", " ".join(command))
    assert set(addresses) <= {"127.0.0.1"}


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("etcd", "--listen-client-urls=http://127.0.0.1:1002"),
        ("etcd", "--listen-peer-urls=http://127.0.0.1:1003"),
        ("kube-apiserver", "--bind-address=127.0.0.1"),
        ("kube-apiserver", "--secure-port=1001"),
        ("kube-apiserver", "--etcd-servers=http://127.0.0.1:1002"),
        ("kube-apiserver", "--authorization-mode=RBAC"),
        ("kube-apiserver", "--anonymous-auth=false"),
        ("kube-controller-manager", "--secure-port=0"),
        ("kube-scheduler", "--secure-port=0"),
    ],
)
def test_a_part_listens_where_it_should_and_nowhere_else(name: str, flag: str) -> None:
    option = flag.partition("=")[0]

    assert [each for each in ALL[name] if each.partition("=")[0] == option] == [flag]


def test_only_a_durable_etcd_syncs_to_disk() -> None:
    assert set(etcd(SITE, durable=False)) - set(etcd(SITE, durable=True)) == {"--unsafe-no-fsync"}


def test_a_tests_flags_come_last() -> None:
    assert api_server(SITE, ["--min-request-timeout=3"])[-1] == "--min-request-timeout=3"


def test_controllers_are_named_with_commas() -> None:
    assert "--controllers=a,b" in controller_manager(KUBECONFIG, ["a", "b"])
