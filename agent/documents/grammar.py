"""YAML text has one of two meanings: that of files written for us, or that of the API server.

Files written for us (settings, categories, policies, error tables, scenarios, outcomes) follow YAML 1.2, and values
that differ between YAML versions are refused. Kubernetes objects are interpreted as by the API server and kubectl: both
convert YAML to JSON with sigs.k8s.io/yaml v1.6, a layer over go-yaml v2.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from agent.documents import kubernetes, scalar
from agent.documents.node import Value
from agent.documents.scalar import InvalidScalar


class ScalarMeaning(Protocol):
    """Returns the value of a scalar with this text and tag; ``plain`` is one without quotes."""

    def __call__(self, text: str, *, tag: str | None, plain: bool) -> Value | InvalidScalar: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """How one sort of file is read.

    ``scalar`` returns the value of a scalar, and ``key`` the key for a value, ``None`` if it cannot be one. The mapping
    of ``<<`` overrides own keys before it if ``merges_over_earlier_keys``, else none. If a key is repeated, the last
    one counts if ``takes_repeated_keys``, else it is a fault.
    """

    scalar: ScalarMeaning
    key: Callable[[Value], str | None]
    merges_over_earlier_keys: bool = False
    takes_repeated_keys: bool = False
    takes_any_tag: bool = False
    takes_controls: bool = False


PEOPLE = Grammar(scalar=scalar.meaning, key=lambda value: value if isinstance(value, str) else None)
"""Files written for us."""

LABELLED = replace(PEOPLE, takes_controls=True)
"""Evidence that people copied and labelled: its texts are arbitrary program output."""

MANIFEST = Grammar(
    scalar=kubernetes.meaning,
    key=kubernetes.key,
    merges_over_earlier_keys=True,
    takes_any_tag=True,
    takes_controls=True,
)
"""Kubernetes objects as people apply them. A key given twice is refused, as with ``fieldValidation=Strict``."""

OBJECT = replace(MANIFEST, takes_repeated_keys=True)
"""Existing Kubernetes objects: the last of repeated keys counts, as when they were applied."""
