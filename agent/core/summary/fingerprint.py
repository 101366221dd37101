"""Fingerprint: a short text that is the same for failures which are the same to people.

It is made of the mechanism, the details that say so, and the words of the lines that decide: the key line of each
container that failed, and the reasons of the pod and its containers. Everything that differs between two runs of the
same job is left out: numbers, identifiers, addresses, paths and what is quoted. All words are sorted, so the order in
which events, containers or lines were seen does not matter.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Final

from agent.core.classify.mechanism import mechanism
from agent.core.evidence import Container, ContainerKind, Evidence, StateKind
from agent.core.failure import Classification, Mechanism
from agent.core.summary.key_line import key_lines

VERSION: Final = "v1"
"""Fingerprints of different versions cannot be compared."""

_HEX: Final = 16
_QUOTED: Final = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|\u2018[^\u2019\n]*\u2019")
_REMARK: Final = re.compile(r"\([^()\n]*\)")
_CHANGING: Final = re.compile(r"[0-9@/\\]")
"""In a word that may differ in the next run: a number, a hash, the name of a pod, an address, a path."""
_LONGEST: Final = 1000
"""Characters of a line that are read."""
_WORD: Final = re.compile(r"[^\W\d_][\w.]*[^\W\d_]")


_BEFORE_IT_RAN: Final = frozenset(
    {Mechanism.NEVER_CREATED, Mechanism.UNSCHEDULABLE, Mechanism.NOT_STARTED, Mechanism.UNKNOWN}
)


def fingerprint(evidence: Evidence, given: Classification) -> str:
    """The fingerprint of a failure, such as ``v1:9f86d081884c7d65``."""
    parts = [f"mechanism={given.mechanism or mechanism(evidence)}"]
    parts += sorted(f"{one.key}={one.value}" for one in given.detail if one.key.fingerprinted)
    parts += sorted({*_tokens(evidence), *_causes(evidence, given)})
    digest = hashlib.sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()
    return f"{VERSION}:{digest[:_HEX]}"


def masked(line: str) -> list[str]:
    """The words of a line that do not change from run to run."""
    plain = _REMARK.sub(" ", _QUOTED.sub(" ", line[:_LONGEST]))
    return [word for one in plain.split() if not _CHANGING.search(one) for word in _WORD.findall(one)]


def _tokens(evidence: Evidence) -> Iterator[str]:
    yield f"reason={evidence.pod.reason}"
    for container in evidence.pod.containers:
        if container.kind is not ContainerKind.EPHEMERAL:
            yield from _of_container(container, evidence)


def _causes(evidence: Evidence, given: Classification) -> Iterator[str]:
    """What is said around containers that never ran; without any, only the leaf is known."""
    if (given.mechanism or mechanism(evidence)) in _BEFORE_IT_RAN:
        yield from (f"event={event.reason}" for event in evidence.events if event.type == "Warning")
    if not evidence.pod.containers:
        yield f"leaf={given.category}/{given.subcategory}"


def _of_container(container: Container, evidence: Evidence) -> Iterator[str]:
    ended = container.ended
    if ended is None:
        if container.state.kind is StateKind.WAITING:
            yield f"waits={container.state.reason}"
            yield from masked(container.state.message)
        return
    if ended.exit_code == 0:
        return
    yield f"ended={ended.reason}"
    tails = [one.text for one in evidence.log_tails if one.container == container.name]
    text = next((one for one in (ended.message, *tails) if one.strip()), "")
    found = key_lines(text)
    if found:
        yield from masked(found[0].text)
    else:
        yield f"exit={ended.exit_code}"
