"""What the server does for each verb, over the store (Kubernetes: registry/generic/registry/store.go)."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from agent.simulator.creation import prepare
from agent.simulator.kinds import NAMESPACES, PODS, Json, Kind
from agent.simulator.status import already_exists, bad_request, conflict, invalid, not_found, stale, success
from agent.simulator.store import Key, Store, key_of
from agent.simulator.times import Now, stamp

_CHANGEABLE_SPEC = frozenset({"activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds"})
_FINISHED = frozenset({"Succeeded", "Failed"})


class Registry:
    """Creates, reads, changes and deletes objects as an API server would. Raises Refused."""

    def __init__(self, store: Store, *, now: Now) -> None:
        self.store = store
        self._now = now

    def create(self, kind: Kind, body: Json, *, namespace: str) -> Json:
        """Create an object."""
        if kind.namespaced and self.store.get(NAMESPACES, ("", namespace)) is None:
            raise not_found(NAMESPACES, namespace)
        thing = prepare(kind, body, namespace=namespace, now=self._now())
        key = key_of(thing)
        if self.store.get(kind, key) is not None:
            raise already_exists(kind, key[1])
        return self.store.put(kind, thing)

    def get(self, kind: Kind, key: Key) -> Json:
        """Read an object."""
        thing = self.store.get(kind, key)
        if thing is None:
            raise not_found(kind, key[1])
        return thing

    def change(self, kind: Kind, key: Key, change: Callable[[Json], Json], *, status: bool) -> Json:
        """Change an object, or its status only, by a patch or a replacement; what may not change, does not.

        An object that was waiting for its last finalizer goes when that is taken off.
        """
        old = self.get(kind, key)
        new = change(old)
        _check(kind, old, new)
        merged = _only_status(old, new) if status else _all_but_status(kind, old, new)
        if merged == old:
            return old
        if merged["metadata"].get("deletionTimestamp") and _may_go(merged):
            return self.store.remove(kind, merged)
        return self.store.put(kind, merged)

    def write_status(self, key: Key, status: Json) -> Json:
        """Replace the status of a pod, as its kubelet."""
        return self.change(PODS, key, lambda pod: {**pod, "status": status}, status=True)

    def delete(self, kind: Kind, key: Key, options: Json) -> Json:
        """Delete an object, or begin to: a pod that runs gets its grace, and nothing goes before its finalizers."""
        old = self.get(kind, key)
        _check_preconditions(kind, old, options.get("preconditions") or {})
        if kind is NAMESPACES:
            raise bad_request("the simulator does not delete namespaces")
        seconds = _grace_seconds(old, options.get("gracePeriodSeconds")) if kind is PODS else 0
        marked = _mark(old, seconds=seconds, now=self._now())
        if _may_go(marked):
            gone = self.store.remove(kind, marked)
            return gone if kind is PODS else success(kind, key[1], gone["metadata"]["uid"])
        return old if marked == old else self.store.put(kind, marked)


def _check(kind: Kind, old: Json, new: Json) -> None:
    before, after = old["metadata"], new.get("metadata") or {}
    name = before["name"]
    if after.get("resourceVersion", before["resourceVersion"]) != before["resourceVersion"]:
        raise stale(kind, name)
    for field in ("uid", "name", "namespace", "creationTimestamp"):
        if field in after and after[field] != before.get(field):
            raise invalid(
                kind, name, field=f"metadata.{field}", why=f'Invalid value: "{after[field]}": field is immutable'
            )
    added = [item for item in after.get("finalizers") or () if item not in (before.get("finalizers") or ())]
    if added and before.get("deletionTimestamp"):
        why = f"Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers {added}"
        raise invalid(kind, name, field="metadata.finalizers", why=why)


def _only_status(old: Json, new: Json) -> Json:
    return {**old, "status": new.get("status") or {}}


def _all_but_status(kind: Kind, old: Json, new: Json) -> Json:
    fixed = ("uid", "name", "namespace", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")
    before = old["metadata"]
    meta = {**(new.get("metadata") or {}), **{field: before[field] for field in fixed if field in before}}
    meta["resourceVersion"] = before["resourceVersion"]
    if kind is PODS and _fixed_spec(new) != _fixed_spec(old):
        why = "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
        raise invalid(kind, before["name"], field="spec", why=f"{why} {', '.join(sorted(_CHANGEABLE_SPEC))}")
    kept = {"status": old["status"]} if "status" in old else {}
    return {**new, "kind": old["kind"], "apiVersion": old["apiVersion"], "metadata": meta, **kept}


def _fixed_spec(pod: Json) -> Json:
    spec: dict[str, Any] = pod.get("spec") or {}
    containers = [{**container, "image": ""} for container in spec.get("containers") or ()]
    fixed = {name: value for name, value in spec.items() if name not in _CHANGEABLE_SPEC}
    return {**fixed, "containers": containers}


def _check_preconditions(kind: Kind, old: Json, wanted: Json) -> None:
    meta = old["metadata"]
    if "uid" in wanted and wanted["uid"] != meta["uid"]:
        why = (
            f"the UID in the precondition ({wanted['uid']}) does not match the UID in record ({meta['uid']}). "
            "The object might have been deleted and then recreated"
        )
        raise conflict(kind, meta["name"], why, resource=kind.name)
    if "resourceVersion" in wanted and wanted["resourceVersion"] != meta["resourceVersion"]:
        why = (
            f"the ResourceVersion in the precondition ({wanted['resourceVersion']}) does not match the ResourceVersion "
            f"in record ({meta['resourceVersion']}). The object might have been modified"
        )
        raise conflict(kind, meta["name"], why, resource=kind.name)


def _grace_seconds(pod: Json, asked: int | None) -> int:
    """Seconds between the mark and the end (registry/core/pod/strategy.go CheckGracefulDelete)."""
    if not pod["spec"].get("nodeName") or pod["status"].get("phase") in _FINISHED:
        return 0
    return int(pod["spec"]["terminationGracePeriodSeconds"]) if asked is None else max(0, asked)


def _mark(old: Json, *, seconds: int, now: datetime) -> Json:
    """The object with its deletion begun; a second deletion can only shorten the first."""
    meta = old["metadata"]
    before = meta.get("deletionGracePeriodSeconds")
    if "deletionTimestamp" in meta and before is not None and seconds >= before:
        return old
    ends = stamp(now + timedelta(seconds=seconds))
    return {**old, "metadata": {**meta, "deletionTimestamp": ends, "deletionGracePeriodSeconds": seconds}}


def _may_go(thing: Json) -> bool:
    meta = thing["metadata"]
    return not meta.get("finalizers") and not meta.get("deletionGracePeriodSeconds")
