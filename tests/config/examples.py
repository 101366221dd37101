"""Examples of the shipped packs: ``packs/<pack>.yaml`` has, by the name of a rule, what it finds and what it misses.

An example is a text, which a container wrote before it exited with 1, or a mapping: the fields of ``failures.yaml``,
and for short ``log`` (the log of that container), ``event`` (``[reason, message]``, or with a type as the third item,
about a pod that has not started), ``error`` (the pod's own message), ``kernel`` (a line of the node's log).
``among: true`` is for a rule that is found but rightly not the first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
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
    line: int

    def __str__(self) -> str:
        return f"tests/config/packs/{self.pack}.yaml:{self.line}: {self.rule}"


def packs_with_examples() -> Sequence[str]:
    return sorted(file.stem for file in FOLDER.glob("*.yaml"))


@cache
def examples(pack: str) -> tuple[Example, ...]:
    """The examples of a pack, rule by rule."""
    text = (FOLDER / f"{pack}.yaml").read_text(encoding="utf-8")
    written: Mapping[str, Mapping[str, Sequence[Any]]] = yaml.load(text, Loader=yaml.CSafeLoader)
    lines = _lines(text)
    found = []
    for rule, kinds in written.items():
        unknown = kinds.keys() - {"finds", "misses"}
        if unknown:
            raise ValueError(f"{pack}: {rule}: {', '.join(unknown)}: an example is under finds or misses")
        for kind, rows in kinds.items():
            for row in rows:
                first = not (isinstance(row, dict) and row.get("among"))
                finds = kind == "finds"
                found.append(Example(pack=pack, rule=rule, row=row_of(row), finds=finds, first=first, line=next(lines)))
    return tuple(found)


def _lines(text: str) -> Iterator[int]:
    """The line of each example, in their order."""
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    assert isinstance(root, yaml.MappingNode)
    for _, kinds in root.value:
        for _, rows in kinds.value:
            yield from (row.start_mark.line + 1 for row in rows.value)


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
