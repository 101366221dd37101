"""Laws of followers; examples are in ``tests/config/sidecars.yaml``."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agent.core.classify.followers import TOGETHER, deciding_part, followers, followers_among
from agent.core.classify.matchers.pod_error import joined_errors
from agent.core.evidence import Container, ContainerKind, ContainerState, Evidence, LogTail, Pod, StateKind

AT = datetime(2026, 3, 1, 10, tzinfo=UTC)
SECONDS = (None, 0, 1, 2, 30, 300)
CODES = (0, 1, 2, 3, 137, 139, 143, 255)
REASONS = ("Error", "OOMKilled", "ContainerStatusUnknown")
TEXTS = ("", "KeyError: 'rows'", "dial tcp: connect: connection refused")


def container(
    name: str,
    code: int,
    at: int | None,
    *,
    kind: ContainerKind = ContainerKind.APP,
    injected: bool | None = None,
    reason: str = "Error",
    said: str = "",
) -> Container:
    finished_at = None if at is None else AT + timedelta(seconds=at)
    state = ContainerState(
        kind=StateKind.TERMINATED, reason=reason, exit_code=code, message=said, finished_at=finished_at
    )
    ended = None if kind is ContainerKind.EPHEMERAL else state
    return Container(name=name, kind=kind, state=state, ended=ended, injected=injected)


def failed(containers: tuple[Container, ...]) -> set[str]:
    return {container.name for container in containers if container.ended is not None and container.ended.exit_code}


@st.composite
def pods(draw: st.DrawFn) -> tuple[Container, ...]:
    return tuple(
        container(
            name,
            draw(st.sampled_from(CODES)),
            draw(st.sampled_from(SECONDS)),
            kind=draw(st.sampled_from(ContainerKind)),
            injected=draw(st.sampled_from((None, True, False))),
            reason=draw(st.sampled_from(REASONS)),
            said=draw(st.sampled_from(TEXTS)),
        )
        for name in ("a", "b", "c", "d")[: draw(st.integers(0, 4))]
    )


@given(containers=pods())
def test_a_container_that_failed_is_left_wherever_one_did(containers: tuple[Container, ...]) -> None:
    found = followers(containers)

    assert bool(failed(containers) - found.keys()) == bool(failed(containers))


@given(containers=pods(), logged=st.lists(st.sampled_from("abcd"), max_size=2))
def test_the_quick_look_finds_what_the_whole_search_finds(containers: tuple[Container, ...], logged: list[str]) -> None:
    tails = [LogTail(container=name, text="x") for name in logged]

    assert followers(containers, tails) == followers_among(containers, tails)


@given(data=st.data())
def test_the_order_of_the_statuses_does_not_matter(data: st.DataObject) -> None:
    containers = data.draw(pods())
    shuffled = data.draw(st.permutations(containers))

    assert followers(shuffled).keys() == followers(containers).keys()


@given(containers=pods())
def test_a_container_that_ended_after_the_jobs_own_failed_does_not_count(containers: tuple[Container, ...]) -> None:
    found = followers(containers)
    own = [
        container
        for container in containers
        if container.kind is ContainerKind.INIT and container.name in failed(containers)
    ]
    first = min((container.state.finished_at for container in own if container.state.finished_at), default=None)

    for container in containers:
        after = first is not None and container.state.finished_at is not None and container.state.finished_at > first
        if after and container.kind is ContainerKind.SIDECAR and container.state.reason != "ContainerStatusUnknown":
            assert container.name in found or container.name not in failed(containers)


@given(containers=pods())
def test_what_followers_wrote_is_not_in_the_part_that_decides(containers: tuple[Container, ...]) -> None:
    tails = tuple(LogTail(container=container.name, text="x") for container in containers)
    evidence = Evidence(pod=Pod(containers=containers), pod_error=joined_errors(containers), log_tails=tails)

    part, found = deciding_part(evidence)

    left = tuple(container for container in containers if container.name not in found)
    assert part.pod.containers == left
    assert part.pod_error == joined_errors(left)
    assert [tail.container for tail in part.log_tails] == [container.name for container in left]
    assert (part is evidence) == (not found)


def test_the_pods_own_message_stays() -> None:
    containers = (container("main", 1, 1), container("proxy", 143, 2, kind=ContainerKind.SIDECAR))
    evidence = Evidence(pod=Pod(containers=containers, message="evicted"), pod_error="evicted")

    assert deciding_part(evidence)[0].pod_error == "evicted"


def test_the_last_words_may_stand_in_the_log() -> None:
    main, proxy = container("main", 1, 2), container("proxy", 1, 1, kind=ContainerKind.SIDECAR)
    said = LogTail(container="main", text="urllib3: Connection refused\n")

    assert followers((main, proxy)).keys() == {"proxy"}
    assert followers((main, proxy), (said,)) == {"main": "it ended because container proxy had failed"}
    assert followers((main, proxy), (replace(said, container="proxy"),)).keys() == {"proxy"}


def test_a_container_that_is_stopped_much_later_was_not_stopped_because_of_a_sidecar() -> None:
    proxy, grace = container("proxy", 1, 0, kind=ContainerKind.SIDECAR), int(TOGETHER.total_seconds())

    assert followers((container("main", 143, grace), proxy)).keys() == {"main"}
    assert followers((container("main", 143, grace + 1), proxy)).keys() == {"proxy"}
