"""Which containers of a pod are to be started now (pkg/kubelet/kuberuntime: computePodActions). Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from tests.servers.kubelet.runtime import Container
from tests.simulator.api import Json

_FIRST_BACKOFF: Final = 10.0
_MOST_BACKOFF: Final = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """What to do: ``start`` these, look again ``after`` some seconds; or the pod is over, and what is left is ended."""

    start: tuple[str, ...] = ()
    after: float | None = None
    over: bool = False


WAIT: Final = Steps()
OVER: Final = Steps(over=True)


def steps(pod: Json, containers: Mapping[str, Container], *, now: datetime) -> Steps:
    """What to do with the pod, whose images are there."""
    spec = pod["spec"]
    policy = spec.get("restartPolicy", "Always")
    for init in spec.get("initContainers") or ():
        container = containers.get(init["name"])
        if container is None:
            return Steps(start=(init["name"],))
        if is_sidecar(init) or container.lives:
            if is_sidecar(init):
                continue
            return WAIT
        if _exit_code(container) != 0:
            return OVER if policy == "Never" else _again([container], now)
    missing = tuple(each["name"] for each in spec["containers"] if each["name"] not in containers)
    if missing:
        return Steps(start=missing)
    mains = [containers[each["name"]] for each in spec["containers"]]
    ended = [each for each in mains if not each.lives and _starts_again(policy, each)]
    if ended:
        return _again(ended, now)
    return WAIT if any(each.lives for each in mains) else OVER


def is_sidecar(init: Mapping[str, Any]) -> bool:
    """Whether an init container lives as long as the pod."""
    return init.get("restartPolicy") == "Always"


def _starts_again(policy: str, ended: Container) -> bool:
    return policy == "Always" or (policy == "OnFailure" and _exit_code(ended) != 0)


def _again(ended: list[Container], now: datetime) -> Steps:
    """Start again what has waited long enough: the first time at once, then after a time that doubles."""
    waits = {each.lived.container: wait for each in ended if (wait := _wait(each, now)) > 0}
    start = tuple(each.lived.container for each in ended if each.lived.container not in waits)
    return Steps(start=start, after=min(waits.values(), default=None))


def _wait(ended: Container, now: datetime) -> float:
    assert ended.lived.ended_at is not None
    backoff = min(_FIRST_BACKOFF * 2 ** (ended.restarts - 1), _MOST_BACKOFF) if ended.restarts else 0.0
    return backoff - (now - ended.lived.ended_at).total_seconds()


def _exit_code(ended: Container) -> int:
    assert ended.exit is not None
    return ended.exit.exit_code


def failed_init(pod: Json, containers: Mapping[str, Container]) -> Iterator[str]:
    """The init containers that ended badly, so that nothing behind them starts."""
    for init in pod["spec"].get("initContainers") or ():
        container = containers.get(init["name"])
        if container is not None and not container.lives and not is_sidecar(init) and _exit_code(container) != 0:
            yield init["name"]
