"""Where pods say whose run they are: presets by what makes pods, and expressions of one's own."""

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from agent.core.identity.expression import parse_expression
from agent.core.identity.rules import ANY_POD, PRESETS, Expressions, IdentityRules, PresetName, combine
from agent.settings.base import Settings


def _parses(text: str) -> str:
    parse_expression(text)
    return text


def _parsed(texts: tuple[str, ...]) -> Expressions:
    return tuple(map(parse_expression, texts))


ExpressionText = Annotated[str, AfterValidator(_parses)]
"""An expression, as ``{namespace}/{label:my/gang}``."""

_Expressions = tuple[ExpressionText, ...]


class IdentitySettings(Settings):
    """For each part of an identity, where to look for it before the presets do; the first that gives something counts.

    A place is written in braces: uid, name, namespace, label:KEY, annotation:KEY, owner.uid, owner.name,
    owner:GROUP/KIND.uid or .name.
    """

    presets: tuple[PresetName, ...] = Field(
        default=tuple(PresetName), description="What creates pods here; the first that gives a value counts."
    )
    job: _Expressions = Field(default=(), description="The job; last of all the controlling owner, then the pod.")
    run: _Expressions = Field(default=(), description="One try of the job; last of all the pod's uid.")
    queue: _Expressions = Field(default=(), description="The queue.")
    job_set: _Expressions = Field(default=(), description="The name of what several jobs belong to.")
    job_set_id: _Expressions = Field(default=(), description="The JobSet that is decided as one.")
    gang: _Expressions = Field(default=(), description="The gang that is decided as one.")
    attempt: _Expressions = Field(default=(), description="The number of the try, from 0.")
    index: _Expressions = Field(default=(), description="The pod's place among its siblings, from 0.")
    containers: _Expressions = Field(default=(), description="Names of the submitted containers, with commas.")

    @model_validator(mode="after")
    def _each_preset_once(self) -> Self:
        twice = sorted({each.value for each in self.presets if self.presets.count(each) > 1})
        if twice:
            raise ValueError(f"presets named twice: {', '.join(twice)}")
        return self

    def rules(self) -> IdentityRules:
        """These, then the presets', then what holds of any pod."""
        ours = IdentityRules(
            job=_parsed(self.job),
            run=_parsed(self.run),
            queue=_parsed(self.queue),
            job_set=_parsed(self.job_set),
            job_set_id=_parsed(self.job_set_id),
            gang=_parsed(self.gang),
            attempt=_parsed(self.attempt),
            index=_parsed(self.index),
            containers=_parsed(self.containers),
        )
        return combine((ours, *(PRESETS[name] for name in self.presets), ANY_POD))
