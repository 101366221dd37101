"""A document as written: the tree before its interpretation, with aliases resolved."""

from dataclasses import dataclass

from agent.documents.node import Span

MERGE = "<<"
MERGE_TAG = "tag:yaml.org,2002:merge"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenScalar:
    """The text of a scalar, without its quotes; ``plain`` means that it had none. ``broken`` stands for a bad alias."""

    text: str
    span: Span
    tag: str | None = None
    plain: bool = True
    broken: bool = False

    @property
    def is_merge(self) -> bool:
        """Whether this key merges other mappings into its own."""
        return self.text == MERGE and (self.tag == MERGE_TAG or (self.plain and self.tag is None))


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenList:
    """A list. ``size`` counts its nodes and ``height`` its levels, each alias as everything it refers to."""

    items: tuple["Written", ...]
    span: Span
    tag: str | None
    size: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenMapping:
    """Keys with their values, in the order of the text; a key may be there twice. ``size`` and ``height`` as above."""

    pairs: tuple[tuple["Written", "Written"], ...]
    span: Span
    tag: str | None
    size: int
    height: int

    def text_of(self, key: str) -> str:
        """Return the text of the first scalar with this key, else an empty text."""
        texts = (
            value.text
            for name, value in self.pairs
            if isinstance(name, WrittenScalar) and name.text == key and isinstance(value, WrittenScalar)
        )
        return next(texts, "")

    def has(self, key: str) -> bool:
        """Whether there is such a key."""
        return any(isinstance(name, WrittenScalar) and name.text == key for name, _ in self.pairs)


Written = WrittenScalar | WrittenList | WrittenMapping


def size(written: Written) -> int:
    """Return how many nodes this one has, itself included."""
    return 1 if isinstance(written, WrittenScalar) else written.size


def height(written: Written) -> int:
    """Return how many lists and mappings are nested in this one, itself included."""
    return 0 if isinstance(written, WrittenScalar) else written.height
