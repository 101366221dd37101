"""Patches: RFC 7386 (merge), RFC 6902 (JSON), and the part of Kubernetes' strategic merge that is used on metadata.

Of strategic merge: objects merge; lists are replaced, but ``finalizers`` merge as sets, as do the lists of status with
a merge key (conditions by ``type``; container statuses are atomic in Kubernetes too), and containers and scheduling
gates by name; ``$deleteFromPrimitiveList/x`` and ``$patch: delete`` in a merged list work. ``$setElementOrder``,
``$retainKeys`` and ``$patch: replace`` are refused.
"""

from collections.abc import Mapping
from typing import Any, Final

from agent.simulator.kinds import Json
from agent.simulator.status import bad_request, unprocessable

_SETS: Final = frozenset({"finalizers"})
_MERGE_KEYS: Final[Mapping[str, str]] = {
    "conditions": "type",
    "ownerReferences": "uid",
    "containers": "name",
    "initContainers": "name",
    "schedulingGates": "name",
}
_DELETE_FROM: Final = "$deleteFromPrimitiveList/"


def merge(target: object, patch: object) -> Any:  # noqa: ANN401 - any JSON value
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge(result.get(name), value)
    return result


def strategic_merge(target: Json, patch: Json) -> Json:
    """The strategic merge of two objects. Raises StatusError for a directive that is not known here."""
    result = dict(target)
    for name, value in patch.items():
        if name.startswith(_DELETE_FROM):
            listed = name.removeprefix(_DELETE_FROM)
            result[listed] = [item for item in result.get(listed) or [] if item not in value]
            if not result[listed]:
                del result[listed]
        elif name.startswith("$"):
            raise bad_request(f"the directive {name} of a strategic merge patch is not known to the simulator")
        elif value is None:
            result.pop(name, None)
        else:
            result[name] = _merged(name, result.get(name), value)
    return result


def _merged(name: str, old: object, new: object) -> object:
    if isinstance(new, dict):
        return strategic_merge(old if isinstance(old, dict) else {}, new)
    if isinstance(new, list):
        known = old if isinstance(old, list) else []
        if name in _SETS:
            return _in_order(list(dict.fromkeys([*new, *known])), old=known, new=new)
        if name in _MERGE_KEYS:
            return _merge_list(known, new, _MERGE_KEYS[name])
    return new


def _merge_list(old: list[Json], new: list[Json], key: str) -> list[Json]:
    by_key = {item.get(key): item for item in old}
    for item in new:
        if item.get("$patch") == "delete":
            by_key.pop(item.get(key), None)
        else:
            by_key[item.get(key)] = strategic_merge(by_key.get(item.get(key), {}), item)
    order = _in_order(list(by_key), old=[item.get(key) for item in old], new=[item.get(key) for item in new])
    return [by_key[value] for value in order]


def _in_order(merged: list[Any], *, old: list[Any], new: list[Any]) -> list[Any]:
    """The order that the server gives a merged list (apimachinery: strategicpatch, normalizeElementOrder).

    What is patched comes as the patch has it; what it does not name stays before what it stood before.
    """
    patched = [value for value in new if value in merged]
    rest = [value for value in old if value in merged and value not in patched]
    order: list[Any] = []
    for value in patched:
        while rest and value in old and old.index(rest[0]) < old.index(value):
            order.append(rest.pop(0))
        order.append(value)
    return [*order, *rest]


def apply_json_patch(target: Json, operations: object) -> Json:
    """RFC 6902. Raises StatusError: 422 if it does not apply, 400 if it is no patch."""
    if not isinstance(operations, list):
        raise bad_request("json: cannot unmarshal object into Go value of type jsonpatch.Patch")
    result: Any = target
    for operation in operations:
        result = _apply(result, operation)
    if not isinstance(result, dict):
        raise unprocessable()
    return result


def _apply(document: object, operation: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    path = _pointer(str(operation.get("path", "")))
    match operation.get("op"):
        case "test":
            if _read(document, path) != operation.get("value"):
                raise unprocessable()
            return document
        case "add":
            return _write(document, path, operation.get("value"), insert=True)
        case "replace":
            _read(document, path)
            return _write(document, path, operation.get("value"), insert=False)
        case "remove":
            _read(document, path)
            return _remove(document, path)
        case "copy":
            return _write(document, path, _read(document, _pointer(str(operation.get("from", "")))), insert=True)
        case "move":
            source = _pointer(str(operation.get("from", "")))
            return _write(_remove(document, source), path, _read(document, source), insert=True)
        case _:
            raise unprocessable()


def _pointer(text: str) -> list[str]:
    if text and not text.startswith("/"):
        raise unprocessable()
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


def _read(document: object, path: list[str]) -> Any:  # noqa: ANN401 - any JSON value
    value = document
    for part in path:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list):
            value = value[_index(value, part)]
        else:
            raise unprocessable()
    return value


def _write(document: object, path: list[str], value: object, *, insert: bool) -> object:
    if not path:
        return value
    head, *rest = path
    if isinstance(document, list):
        at_end = head == "-"
        index = len(document) if at_end else _index(document, head, room=1 if insert and not rest else 0)
        if rest:
            return [*document[:index], _write(document[index], rest, value, insert=insert), *document[index + 1 :]]
        return [*document[:index], value, *document[index + (0 if insert else 1) :]]
    if not isinstance(document, dict) or (rest and head not in document):
        raise unprocessable()
    return {**document, head: _write(document[head], rest, value, insert=insert) if rest else value}


def _remove(document: object, path: list[str]) -> object:
    if not path:
        raise unprocessable()
    head, *rest = path
    if isinstance(document, list):
        index = _index(document, head)
        kept = [_remove(document[index], rest)] if rest else []
        return [*document[:index], *kept, *document[index + 1 :]]
    if not isinstance(document, dict) or head not in document:
        raise unprocessable()
    if rest:
        return {**document, head: _remove(document[head], rest)}
    return {name: value for name, value in document.items() if name != head}


def _index(items: list[Any], part: str, *, room: int = 0) -> int:
    if not part.isdecimal() or int(part) >= len(items) + room:
        raise unprocessable()
    return int(part)
