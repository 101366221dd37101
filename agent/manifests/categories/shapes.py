"""The shapes of a file of error categories, in the spelling of Armada's proposal and of its configuration.

Sources: armadaproject/armada#4713, the proposal, and internal/executor/categorizer at 207cc9e04.
"""

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, Strict

from agent.core.classify.rules import Order, Reach, Role
from agent.core.failure import Advice, CategoryAction, Mechanism, Origin, Proof
from agent.documents.shape import Shape, refuse
from agent.manifests.fields import Hint, Label, Name
from agent.manifests.matchers.listed import CategoryMatchers
from agent.manifests.matchers.written import written_in


def _read_action(action: object) -> object:
    """Read an empty action as none, as Armada does."""
    return None if action == "" else action


def _check_pack(text: str) -> str:
    if not text or not text.isprintable():
        raise refuse("bad-pack", "not the name of a pack, and not that of a file")
    return text


PackEntry = Annotated[str, AfterValidator(_check_pack)]
"""A pack that ships, or the path of a file of one's own."""


class MatcherShape(CategoryMatchers):
    """One matcher, or one part of an ``allOf``; ``faults`` checks that there is exactly one."""


MATCHERS = written_in(MatcherShape)
"""The matchers; a rule, and each part of an ``allOf``, has exactly one."""


class RuleShape(MatcherShape):
    """One rule. ``name``, ``allOf`` and all from ``origin`` on are ours; the rest is Armada's or its proposal's."""

    name: Label | None = None
    allOf: list[MatcherShape] | None = None
    containerName: str | None = None
    subcategory: Label | None = None
    hint: Hint | None = None
    origin: Annotated[Origin, Strict(False)] | None = None
    retry: Annotated[Advice, Strict(False)] | None = None
    after: list[Annotated[Mechanism, Strict(False)]] | None = None
    role: Annotated[Role, Strict(False)] | None = None
    region: Annotated[Reach, Strict(False)] | None = None
    corroboratedBy: list[MatcherShape] | None = None
    proof: Annotated[Proof, Strict(False)] | None = None
    sources: list[Label] | None = None


class CategoryShape(Shape):
    """One category. ``faults`` checks that it has rules, and a name that its condition can have, if it asks for one.

    Where the file lists packs, a category that asks for a condition may leave the rules to them.
    """

    name: Name
    rules: list[RuleShape] | None = None
    action: Annotated[CategoryAction | None, Strict(False), BeforeValidator(_read_action)] = None
    origin: Annotated[Origin, Strict(False)] | None = None
    retry: Annotated[Advice, Strict(False)] | None = None
    condition: bool | None = Field(
        default=None,
        description="Whether failed pods get the pod condition failure-agent.dev/Category-NAME, if it is proven.",
    )


class BlockShape(Shape):
    """Armada's ``application.errorCategories``; ``packs`` and ``without`` are ours."""

    enabled: bool | None = None
    packs: list[PackEntry] | None = None
    without: list[PackEntry] | None = None
    defaultCategory: Label | None = None
    defaultSubcategory: Label | None = None
    order: Annotated[Order, Strict(False)] | None = None
    categories: list[CategoryShape] | None = None


class ListFile(Shape):
    """A file in the proposal's spelling; one that lists packs may do without categories of its own."""

    order: Annotated[Order, Strict(False)] | None = None
    packs: list[PackEntry] | None = None
    without: list[PackEntry] | None = None
    errorCategories: list[CategoryShape]


class PackList(ListFile):
    """A file in the proposal's spelling that lists packs."""

    packs: list[PackEntry]
    errorCategories: list[CategoryShape] = Field(default_factory=list)


class BlockFile(Shape):
    """A file in Armada's spelling."""

    errorCategories: BlockShape
