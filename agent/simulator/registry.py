"""What the server does for each verb, over the store (Kubernetes: registry/generic/registry/store.go)."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from agent.simulator.binding import bound_to, check_binding
from agent.simulator.creation import prepare
from agent.simulator.defaults import metadata, node_status, pod_spec, pod_status
from agent.simulator.gates import check_added_gates
from agent.simulator.kinds import NAMESPACES, PODS, Json, Kind
from agent.simulator.status import (
    already_exists,
    bad_request,
    bare_success,
    invalid,
    not_found,
    precondition_failed,
    stale,
    success,
)
from agent.simulator.store import Key, Store, key_of
from agent.simulator.times import Now, stamp

_CHANGEABLE_SPEC = frozenset(
    {"activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds", "schedulingGates"}
)
_SPEC_IS_FIXED = (
    "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
    "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n"
)
_FIXED = (
    "name",
    "namespace",
    "uid",
    "creationTimestamp",
    "generation",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "resourceVersion",
)
_FINISHED = frozenset({"Succeeded", "Failed"})


class Registry:
    """Creates, reads, changes and deletes objects as an API server would. Raises StatusError."""

    def __init__(self, store: Store, *, now: Now) -> None:
        self.store = store
        self._now = now

    def create(self, kind: Kind, body: Json, *, namespace: str) -> Json:
        return self.store.put(kind, self.prepared(kind, body, namespace=namespace))

    def prepared(self, kind: Kind, body: Json, *, namespace: str) -> Json:
        """What would be created, which is all that a dry run does."""
        if kind.namespaced and self.store.get(NAMESPACES, ("", namespace)) is None:
            raise not_found(NAMESPACES, namespace)
        thing = prepare(kind, body, namespace=namespace, now=self._now())
        key = key_of(thing)
        if self.store.get(kind, key) is not None:
            raise already_exists(kind, key[1])
        return thing

    def get(self, kind: Kind, key: Key) -> Json:
        thing = self.store.get(kind, key)
        if thing is None:
            raise not_found(kind, key[1])
        return thing

    def change(self, kind: Kind, key: Key, change: Callable[[Json], Json], *, status: bool) -> Json:
        """Change an object, or only its status; immutable fields keep their value.

        Removing the last finalizer of a deleted object removes the object: watchers get its last state with the
        finalizer, the caller gets it without, as from the server.
        """
        old = self.get(kind, key)
        new = change(old)
        _check(kind, old, new)
        merged = _with_status(kind, old, new) if status else _all_but_status(kind, old, new)
        if merged == old:
            return old
        if merged["metadata"].get("deletionTimestamp") and _may_go(merged):
            self.store.remove(kind, old)
            return merged
        return self.store.put(kind, merged)

    def bind(self, key: Key, binding: Json) -> Json:
        """Assign a pod to a node, as a scheduler asks for it."""
        pod = self.get(PODS, key)
        check_binding(pod, binding)
        self.store.put(PODS, bound_to(pod, binding["target"]["name"], now=self._now()))
        return bare_success()

    def write_status(self, key: Key, status: Json) -> Json:
        """Replace the status of a pod, as its kubelet."""
        return self.change(PODS, key, lambda pod: {**pod, "status": status}, status=True)

    def delete(self, kind: Kind, key: Key, options: Json) -> Json:
        """Delete an object, or mark it: a running pod gets its grace period, and finalizers keep any object."""
        old = self.get(kind, key)
        _check_preconditions(kind, old, options.get("preconditions") or {})
        if kind is NAMESPACES:
            return self._terminate(old)
        if kind is not PODS and not old["metadata"].get("finalizers"):
            return success(kind, key[1], self.store.remove(kind, old)["metadata"]["uid"])
        seconds = _grace_seconds(old, options.get("gracePeriodSeconds")) if kind is PODS else 0
        marked = _mark(old, seconds=seconds, now=self._now())
        stored = old if marked == old else self.store.put(kind, marked)
        return self.store.remove(kind, stored) if _may_go(stored) else stored

    def _terminate(self, namespace: Json) -> Json:
        """Mark a namespace as deleted. It stays as it is then: nothing here empties it."""
        if namespace["metadata"].get("deletionTimestamp"):
            return namespace
        meta = {**namespace["metadata"], "deletionTimestamp": stamp(self._now())}
        status = {**namespace["status"], "phase": "Terminating"}
        return self.store.put(NAMESPACES, {**namespace, "metadata": meta, "status": status})


def _check(kind: Kind, old: Json, new: Json) -> None:
    before, after = old["metadata"], new.get("metadata") or {}
    name = before["name"]
    if after.get("name", name) != name:
        raise bad_request(f"the name of the object ({after['name']}) does not match the name on the URL ({name})")
    if after.get("resourceVersion", before["resourceVersion"]) != before["resourceVersion"]:
        raise stale(kind, name)
    for field in ("uid", "namespace", "creationTimestamp"):
        if field in after and after[field] != before.get(field):
            why = f'Invalid value: "{after[field]}": field is immutable'
            raise invalid(kind, name, field=f"metadata.{field}", why=why, times=_checks(kind))
    added = [
        finalizer for finalizer in after.get("finalizers") or () if finalizer not in (before.get("finalizers") or ())
    ]
    if added and before.get("deletionTimestamp"):
        listed = ", ".join(f'"{finalizer}"' for finalizer in sorted(added))
        why = (
            "Forbidden: no new finalizers can be added if the object is being deleted, "
            f"found new finalizers []string{{{listed}}}"
        )
        raise invalid(kind, name, field="metadata.finalizers", why=why, times=_checks(kind))


def _checks(kind: Kind) -> int:
    """How often the server checks the metadata of a changed object (ValidatePodUpdate does it again)."""
    return 2 if kind is PODS else 1


def _with_status(kind: Kind, old: Json, new: Json) -> Json:
    """A status write also changes metadata, except owners and deletion (registry/core/pod/strategy.go)."""
    owners = {"ownerReferences": old["metadata"].get("ownerReferences")}
    meta = _kept_metadata(old, {**(new.get("metadata") or {}), **owners})
    complete = pod_status if kind is PODS else node_status
    return {**old, "metadata": meta, "status": complete(new.get("status") or {})}


def _kept_metadata(old: Json, given: Json) -> Json:
    """The given metadata, with immutable fields as they were."""
    before = old["metadata"]
    kept = {field: before[field] for field in _FIXED if field in before}
    return metadata({**{name: value for name, value in given.items() if name not in _FIXED}, **kept})


def _all_but_status(kind: Kind, old: Json, new: Json) -> Json:
    if kind is PODS:
        check_added_gates(old, new)
        if _fixed_spec(new) != _fixed_spec(old):
            raise invalid(kind, old["metadata"]["name"], field="spec", why=_SPEC_IS_FIXED)
    meta = _kept_metadata(old, new.get("metadata") or {})
    kept = {"status": old["status"]} if "status" in old else {}
    filled = {**new, "spec": pod_spec(new["spec"])} if kind is PODS else {**kind.bare, **new}
    if kind is PODS and filled["spec"] != old["spec"]:
        meta = {**meta, "generation": meta["generation"] + 1}
    return {**filled, "kind": old["kind"], "apiVersion": old["apiVersion"], "metadata": meta, **kept}


def _fixed_spec(pod: Json) -> Json:
    spec: dict[str, Any] = pod_spec(pod.get("spec") or {})
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
        raise precondition_failed(kind, meta["name"], why)
    if "resourceVersion" in wanted and wanted["resourceVersion"] != meta["resourceVersion"]:
        why = (
            f"the ResourceVersion in the precondition ({wanted['resourceVersion']}) does not match the ResourceVersion "
            f"in record ({meta['resourceVersion']}). The object might have been modified"
        )
        raise precondition_failed(kind, meta["name"], why)


def _grace_seconds(pod: Json, asked: int | None) -> int:
    """Seconds between the mark and the end (registry/core/pod/strategy.go CheckGracefulDelete)."""
    if not pod["spec"].get("nodeName") or pod["status"].get("phase") in _FINISHED:
        return 0
    return int(pod["spec"]["terminationGracePeriodSeconds"]) if asked is None else max(0, asked)


def _mark(old: Json, *, seconds: int, now: datetime) -> Json:
    """The object marked as deleted; a second deletion can only shorten the grace period of the first.

    That counts from the first request (apiserver pkg/registry/rest/delete.go, BeforeDelete).
    """
    meta = old["metadata"]
    before = meta.get("deletionGracePeriodSeconds")
    requested = now
    if "deletionTimestamp" in meta and before is not None:
        if seconds >= before:
            return old
        requested = datetime.fromisoformat(meta["deletionTimestamp"]) - timedelta(seconds=before)
    ends = stamp(requested + timedelta(seconds=seconds))
    counted = {"generation": meta["generation"] + 1} if "generation" in meta and before is None else {}
    marked = {**meta, **counted, "deletionTimestamp": ends, "deletionGracePeriodSeconds": seconds}
    return {**old, "metadata": marked}


def _may_go(thing: Json) -> bool:
    meta = thing["metadata"]
    return not meta.get("finalizers") and not meta.get("deletionGracePeriodSeconds")
