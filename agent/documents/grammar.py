"""What is written means one of two things: what people mean who write for us, or what the API server makes of it.

Files that people write for us (settings, categories, policies, error tables, scenarios, outcomes) follow YAML 1.2, and
whatever means different things in different versions is refused. Kubernetes objects mean what they mean to the API
server and to kubectl: both turn YAML into JSON with sigs.k8s.io/yaml v1.6, a layer over go-yaml v2.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from agent.documents import kubernetes, scalar
from agent.documents.node import Value
from agent.documents.scalar import InvalidScalar


class ScalarMeaning(Protocol):
    """Says what a scalar with this text and tag means; ``plain`` is one without quotes."""

    def __call__(self, text: str, *, tag: str | None, plain: bool) -> Value | InvalidScalar: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """How one sort of file is read.

    ``scalar`` says what a scalar means, and ``key`` which key a value is, ``None`` if it cannot be one. What the
    mapping of ``<<`` has wins over keys of one's own that stand before it if ``merges_over_earlier_keys``, else over
    none. Of a key that is repeated the last one counts if ``takes_repeated_keys``, else it is a fault.
    """

    scalar: ScalarMeaning
    key: Callable[[Value], str | None]
    merges_over_earlier_keys: bool = False
    takes_repeated_keys: bool = False
    takes_any_tag: bool = False
    takes_controls: bool = False


PEOPLE = Grammar(scalar=scalar.meaning, key=lambda value: value if isinstance(value, str) else None)
"""Files that people write for us."""

LABELLED = replace(PEOPLE, takes_controls=True)
"""Evidence that people copied and labelled: its texts are whatever a program printed."""

MANIFEST = Grammar(
    scalar=kubernetes.meaning,
    key=kubernetes.key,
    merges_over_earlier_keys=True,
    takes_any_tag=True,
    takes_controls=True,
)
"""Kubernetes objects as people apply them. A key given twice is refused, as with ``fieldValidation=Strict``."""

OBJECT = replace(MANIFEST, takes_repeated_keys=True)
"""Kubernetes objects as somebody has them already: the last of repeated keys counts, as it did when they were read."""
