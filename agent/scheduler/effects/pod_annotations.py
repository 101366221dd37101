"""The annotations in a pod's JSON."""

from collections.abc import Mapping

from agent.json_reader.reader import read_value


def annotations_of(pod: bytes) -> Mapping[str, str]:
    metadata = read_value(pod).get("metadata") or {}
    return metadata.get("annotations") or {}
