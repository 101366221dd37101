"""Which script a pod plays: the one that its annotation names, fitted to the names of its containers.

The annotation may name several, as in ``oom, success``: the first run of a job plays the first, the next one the next,
and all later ones the last. Which run a pod is, its label or annotation ``failure-agent.dev/run-index`` says, from 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agent.simulator.kinds import Json
from agent.simulator.record import RUN_INDEX
from agent.simulator.script import MAIN, SEPARATOR, Script

SCRIPT_ANNOTATION: Final = "simulator.failure-agent.dev/script"
_AGAIN: Final = "delete the pod and create it with"


@dataclass(frozen=True, slots=True)
class Unplayable:
    """The pod stays pending; ``why`` also says how to fix it."""

    why: str


def assign(pod: Json, scripts: Mapping[str, Script]) -> Script | Unplayable | None:
    """The script of a pod without gates. ``None``: it asks for none, and its status is what clients patch it to be.

    Such are the pods that wait for no scheduler, and without scripts all pods that name none.
    """
    found = named_script(pod, scripts)
    return _fitted(found, pod) if isinstance(found, Script) else found


def named_script(pod: Json, scripts: Mapping[str, Script]) -> Script | Unplayable | None:
    """The same, whatever containers the pod has."""
    annotations = pod["metadata"].get("annotations") or {}
    named = annotations.get(SCRIPT_ANNOTATION)
    if named is None:
        return None if not scripts or pod["spec"].get("nodeName") else Unplayable(_unknown(None, scripts))
    names = [name.strip() for name in named.split(SEPARATOR)]
    unknown = next((name for name in names if name not in scripts), None)
    if unknown is not None:
        return Unplayable(_unknown(unknown, scripts))
    index = (pod["metadata"].get("labels") or {}).get(RUN_INDEX) or annotations.get(RUN_INDEX, "0")
    if not index.isdecimal():
        return Unplayable(f"{RUN_INDEX} is no number: {index}; {_AGAIN} one from 0")
    return scripts[names[min(int(index), len(names) - 1)]]


def main_container(pod: Json) -> Json:
    """The container that plays the script's ``main``: that of this name, or the only one. Empty if there is none."""
    containers: list[Json] = pod["spec"]["containers"]
    only = containers[0] if len(containers) == 1 else {}
    return next((container for container in containers if container["name"] == MAIN), only)


def _fitted(script: Script, pod: Json) -> Script | Unplayable:
    spec = pod["spec"]
    has = [container["name"] for container in (*(spec.get("initContainers") or ()), *spec["containers"])]
    main = main_container(pod)
    fitted = script.with_main(main["name"]) if main else script
    if fitted.containers <= set(has):
        return fitted
    plays = " and ".join(sorted(script.containers))
    return Unplayable(
        f"the script {script.name} plays {plays}, the pod has {' and '.join(has)}; {_AGAIN} containers of these names"
    )


def _unknown(name: str | None, scripts: Mapping[str, Script]) -> str:
    if not scripts:
        return f"there is no script {name}: the simulator was started without --scripts and --workload"
    no_annotation = f"the pod has no annotation {SCRIPT_ANNOTATION}"
    wrong = no_annotation if name is None else f"the annotation {SCRIPT_ANNOTATION} names no script: {name}"
    return f"{wrong}; {_AGAIN} one of these: {', '.join(scripts)}"
