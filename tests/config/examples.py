"""Examples of the shipped packs: ``packs/<pack>.yaml`` has, by the name of a rule, what it finds and what it misses.

An example is a text, which a container wrote before it exited with 1, or a mapping: the fields of ``failures.yaml``,
and for short ``log`` (the log of that container), ``event`` (``[reason, message]``, or with a type as the third item,
about a pod that has not started), ``error`` (the pod's own message), ``kernel`` (a line of the node's log).
``among: true`` is for a rule that is found but rightly not the first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

FOLDER: Final = Path(__file__).with_name("packs")
_STARTING: Final = {"reason": "ContainerCreating"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """What a rule of a pack finds, or else misses; ``row`` is in the form of ``failures.yaml``."""

    pack: str
    rule: str
    row: Mapping[str, Any]
    finds: bool
    first: bool
    number: int

    def __str__(self) -> str:
        return f"{self.pack}: {self.rule} {'finds' if self.finds else 'misses'} {self.number}"


def packs_with_examples() -> Sequence[str]:
    return sorted(file.stem for file in FOLDER.glob("*.yaml"))


def examples(pack: str) -> Iterator[Example]:
    """Yield the examples of a pack, rule by rule."""
    written: Mapping[str, Mapping[str, Sequence[Any]]] = yaml.safe_load(
        (FOLDER / f"{pack}.yaml").read_text(encoding="utf-8")
    )
    for rule, kinds in written.items():
        unknown = kinds.keys() - {"finds", "misses"}
        if unknown:
            raise ValueError(f"{pack}: {rule}: {', '.join(unknown)}: an example is under finds or misses")
        for kind, found in kinds.items():
            for number, one in enumerate(found):
                first = not (isinstance(one, dict) and one.get("among"))
                row = row_of(one)
                yield Example(pack=pack, rule=rule, row=row, finds=kind == "finds", first=first, number=number)


def row_of(example: object) -> Mapping[str, Any]:
    """The row of ``failures.yaml`` that an example is short for."""
    if isinstance(example, str):
        return {"said": example}
    if not isinstance(example, dict):
        raise TypeError(f"an example is a text or a mapping, not {example!r}")
    row = {key: value for key, value in example.items() if key not in ("log", "event", "error", "kernel", "among")}
    if "log" in example:
        row = {"ended": {"exitCode": 1, "reason": "Error"}, **row, "logs": {"main": example["log"]}}
    if "event" in example:
        row = {"waits": _STARTING, **row, "events": [example["event"]]}
    if "error" in example:
        row = {**row, "status": {"phase": "Failed", **row.get("status", {}), "message": example["error"]}}
    if "kernel" in example:
        row = {**row, "node": {**row.get("node", {}), "kernelLog": [example["kernel"]]}}
    return row
