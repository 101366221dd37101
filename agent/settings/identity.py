"""Where pods say whose run they are: presets by what makes pods, and expressions of one's own."""

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from agent.core.identity.expression import parse_expression
from agent.core.identity.rules import ANY_POD, PRESETS, Expressions, IdentityRules, PresetName, combine
from agent.settings.base import Form, Settings


def _parses(text: str) -> str:
    parse_expression(text)
    return text


def _parsed(texts: tuple[str, ...]) -> Expressions:
    return tuple(map(parse_expression, texts))


ExpressionText = Annotated[str, AfterValidator(_parses), Form("identity expression")]
"""An expression, as ``{namespace}/{label:my/gang}``."""

_Expressions = tuple[ExpressionText, ...]


class IdentitySettings(Settings):
    """For each part of an identity, where to look for it before the presets; the first that gives a value counts.

    Before all, pods that the agent made for a submitted job say it themselves, unless the preset is left out.
    A place is written in braces: uid, name, namespace, label:KEY, annotation:KEY, owner.uid, owner.name,
    owner:GROUP/KIND.uid or .name.
    """

    presets: tuple[PresetName, ...] = Field(
        default=tuple(PresetName),
        description="Systems that create pods here, each at most once. They are asked in this order, after the "
        "expressions below; the first value found counts. failure-agent, the preset of pods of submitted jobs, is "
        "asked first of all.",
    )
    job: _Expressions = Field(
        default=(), description="The job's id. If nothing gives one: the uid of the controlling owner, else of the pod."
    )
    run: _Expressions = Field(default=(), description="The run's id. If nothing gives one: the pod's uid.")
    queue: _Expressions = Field(default=(), description="The queue's name.")
    job_set: _Expressions = Field(default=(), description="The name of the job set, for people.")
    job_set_id: _Expressions = Field(default=(), description="The uid of the JobSet. Its jobs are decided together.")
    gang: _Expressions = Field(
        default=(), description="The gang's id. Its jobs are decided together, unless they belong to a JobSet."
    )
    attempt: _Expressions = Field(default=(), description="The number of the run, from 0.")
    index: _Expressions = Field(
        default=(), description="The pod's place in its job, from 0, such as the completion index of an Indexed Job."
    )
    containers: _Expressions = Field(
        default=(),
        description="Names of the containers that the user submitted, separated by commas. If nothing gives them: the "
        "annotation failure-agent.dev/containers.",
    )

    @model_validator(mode="after")
    def _each_preset_once(self) -> Self:
        twice = sorted({preset.value for preset in self.presets if self.presets.count(preset) > 1})
        if twice:
            raise ValueError(f"presets named twice: {', '.join(twice)}")
        return self

    def rules(self) -> IdentityRules:
        """Those of our own pods, these, then the presets', then what holds of any pod."""
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
        presets = {name: PRESETS[name] for name in self.presets}
        made = presets.pop(PresetName.FAILURE_AGENT, IdentityRules())
        return combine((made, ours, *presets.values(), ANY_POD))
