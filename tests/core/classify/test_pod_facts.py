"""Facts that need more of a container than the tables say."""

from msgspec.structs import replace

from agent.core.classify.pod_facts import PodFact, is_fact
from agent.core.evidence import Container, ContainerKind, ContainerState, Evidence, Pod, StateKind

WELL = ContainerState(kind=StateKind.TERMINATED, exit_code=0)
BADLY = ContainerState(kind=StateKind.TERMINATED, exit_code=1)
WAITS = ContainerState(kind=StateKind.WAITING, reason="CrashLoopBackOff")


def holds(fact: PodFact, *containers: Container) -> bool:
    return is_fact(fact, Evidence(pod=Pod(containers=containers)))


def ended(name: str, state: ContainerState, *, injected: bool | None = None) -> Container:
    return Container(name=name, kind=ContainerKind.APP, state=state, ended=state, injected=injected)


def test_the_main_containers_are_the_submitted_ones_where_that_is_known() -> None:
    proxy, main = ended("proxy", BADLY, injected=True), ended("main", WELL, injected=False)

    assert holds(PodFact.MAIN_SUCCEEDED, proxy, main)
    assert not holds(PodFact.MAIN_SUCCEEDED, proxy, main, ended("second", BADLY, injected=False))
    assert not holds(PodFact.MAIN_SUCCEEDED, replace(proxy, injected=None), replace(main, injected=None))


def test_a_container_that_waits_for_its_next_start_has_run() -> None:
    again = Container(name="main", kind=ContainerKind.APP, state=WAITS, last_state=BADLY, ended=BADLY, restarts=1)

    assert not holds(PodFact.STARTING, again)
    assert not holds(PodFact.STARTING, replace(again, last_state=None))
    assert holds(PodFact.STARTING, replace(again, last_state=None, restarts=0))
