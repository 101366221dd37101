"""Fingerprint: a short text that is the same for failures which are the same to people.

It is made of the mechanism, the details that say so, and the words of the lines that decide: the key line of each
container that failed, and the reasons of the pod and its containers. Everything that differs between two runs of the
same job is left out: numbers, identifiers, addresses, paths and what is quoted. All words are sorted, so the order in
which events, containers or lines were seen does not matter.
"""

import hashlib
import re
from typing import Final

from agent.core.classify.followers import deciding_part
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
_PUNCTUATION: Final = ",.:;!?()[]"
"""What stands around words, and is no part of what the patterns find."""


_BEFORE_IT_RAN: Final = frozenset(
    {Mechanism.NEVER_CREATED, Mechanism.UNSCHEDULABLE, Mechanism.NOT_STARTED, Mechanism.UNKNOWN}
)


def fingerprint(evidence: Evidence, given: Classification) -> str:
    """The fingerprint of a failure, such as ``v1:9f86d081884c7d65``. How followers ended makes no difference."""
    evidence, _ = deciding_part(evidence)
    ended_by = given.mechanism or mechanism(evidence)
    details = _details(given) if given.detail else []
    tokens = {f"reason={evidence.pod.reason}", *_causes(evidence, given, ended_by)}
    for container in evidence.pod.containers:
        if (ended := container.ended) is None or ended.exit_code != 0:
            tokens.update(_of_container(container, evidence))
    parts = "\x1f".join([f"mechanism={ended_by}", *details, *sorted(tokens)])
    digest = hashlib.sha256(parts.encode("utf-8", "replace")).hexdigest()
    return f"{VERSION}:{digest[:_HEX]}"


def masked(line: str) -> list[str]:
    """The words of a line that do not change from run to run."""
    plain = line[:_LONGEST]
    # without one of these nothing is quoted or remarked; written out, as this takes a quarter of the time of a loop
    if "'" in plain or '"' in plain or "`" in plain or "\u2018" in plain or "(" in plain:
        plain = _REMARK.sub(" ", _QUOTED.sub(" ", plain))
    words: list[str] = []
    for word in plain.split():
        bare = word if word.isalpha() else word.strip(_PUNCTUATION)
        if bare.isalpha():  # as most are, which the patterns would find as they are
            words += (bare,) if len(bare) > 1 else ()
        elif not _CHANGING.search(word):
            words += _WORD.findall(word)
    return words


def _details(given: Classification) -> list[str]:
    return sorted([f"{detail.key}={detail.value}" for detail in given.detail if detail.key.fingerprinted])


def _causes(evidence: Evidence, given: Classification, ended_by: Mechanism) -> list[str]:
    """What the status says of containers that never ran; if it says nothing, only the leaf is known."""
    causes = [] if evidence.pod.containers else [f"leaf={given.category}/{given.subcategory}"]
    if ended_by in _BEFORE_IT_RAN:
        causes += [f"event={event.reason}" for event in evidence.events if event.type == "Warning"]
    return causes


def _of_container(container: Container, evidence: Evidence) -> list[str]:
    """What the status says of a container that waits or did not exit with code 0."""
    ended = container.ended
    if ended is None:
        return _of_wait(container)
    if container.kind is ContainerKind.EPHEMERAL:
        return []
    found = key_lines(ended.message if ended.message.strip() else _logged(container, evidence))
    return [f"ended={ended.reason}", *(masked(found[0].text) if found else [f"exit={ended.exit_code}"])]


def _logged(container: Container, evidence: Evidence) -> str:
    """The first log of the container that is not blank."""
    tails = (tail.text for tail in evidence.log_tails if tail.container == container.name)
    return next((text for text in tails if text.strip()), "")


def _of_wait(container: Container) -> list[str]:
    state = container.state
    if state.kind is not StateKind.WAITING or container.kind is ContainerKind.EPHEMERAL:
        return []
    return [f"waits={state.reason}", *masked(state.message)]
