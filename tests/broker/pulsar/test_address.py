import pytest

from agent.broker.port import BadAddress
from agent.broker.pulsar.address import Address, Names


@pytest.mark.parametrize(
    ("url", "service_url", "namespace"),
    [
        ("pulsar://broker:6650", "pulsar://broker:6650", "public/default"),
        ("pulsar://broker", "pulsar://broker:6650", "public/default"),
        ("pulsar+ssl://broker", "pulsar+ssl://broker:6651", "public/default"),
        ("pulsar+ssl://broker:7000/armada/failures", "pulsar+ssl://broker:7000", "armada/failures"),
        ("pulsar://a:1,b,c:3/armada/failures/", "pulsar://a:1,b:6650,c:3", "armada/failures"),
        ("pulsar://[::1]:6650", "pulsar://[::1]:6650", "public/default"),
        ("pulsar://[::1]/t/n", "pulsar://[::1]:6650", "t/n"),
    ],
)
def test_an_address_is_hosts_and_a_namespace(url: str, service_url: str, namespace: str) -> None:
    address = Address.parse(url, namespace="public/default")

    assert (address.service_url, address.namespace) == (service_url, namespace)
    assert address.secure == url.startswith("pulsar+ssl")


@pytest.mark.parametrize(
    "url",
    [
        "pulsar://",
        "pulsar:///t/n",
        "pulsar:broker",
        "pulsar://b:0",
        "pulsar://b:65536",
        "pulsar://b:x",
        "pulsar://a,,b",
    ],
)
def test_an_address_without_hosts_is_refused(url: str) -> None:
    with pytest.raises(BadAddress):
        Address.parse(url, namespace="public/default")


@pytest.mark.parametrize("path", ["only-tenant", "t/n/topic", "t//n", "t/ü n"])
def test_what_stands_behind_the_hosts_is_a_namespace(path: str) -> None:
    with pytest.raises(BadAddress, match="TENANT/NAMESPACE"):
        Address.parse(f"pulsar://broker/{path}", namespace="public/default")


@pytest.mark.parametrize("url", ["pulsar://broker?token=s3cr3t", "pulsar://me:s3cr3t@broker"])
def test_secrets_are_not_in_an_address_and_one_that_is_is_not_repeated_with_its_password(url: str) -> None:
    with pytest.raises(BadAddress, match="secrets come from files") as refused:
        Address.parse(url, namespace="public/default")
    assert "me:s3cr3t" not in str(refused.value)


def test_names_are_ours_and_pulsars() -> None:
    names = Names("armada/failures")

    assert names.full("run-events-c1") == "persistent://armada/failures/run-events-c1"
    assert names.short(names.full("run-events-c1")) == "run-events-c1"
