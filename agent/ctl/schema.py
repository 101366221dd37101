"""``failctl schema``: JSON Schemas of the files that people write, for editors."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal, TextIO

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from agent.console.exits import Exit
from agent.core.units import in_words
from agent.manifests.categories.shapes import BlockFile, ListFile
from agent.manifests.error_table.shapes import ErrorCodesShape, ErrorTableShape
from agent.manifests.job.outcomes import OutcomesShape
from agent.manifests.job.shapes import JobShape
from agent.manifests.jobset.shapes import JobSetShape
from agent.manifests.resource.kind import Kind
from agent.manifests.retry.scenario_shapes import ScenarioShape
from agent.manifests.submission.shapes import JobsFileShape, PodShape
from agent.settings.cluster import ClusterSettings
from agent.settings.effect import RootSettings
from agent.settings.lookout import LookoutSettings
from agent.settings.scheduler import SchedulerSettings

DIALECT = "https://json-schema.org/draft/2020-12/schema"


KINDS: Mapping[str, tuple[type[BaseModel], ...]] = {
    "categories": (ListFile, BlockFile),
    **{kind.schema: kind.reader.shapes for kind in Kind},
    "settings": (SchedulerSettings, ClusterSettings, LookoutSettings),
    "scenario": (ScenarioShape,),
    "errortable": (ErrorTableShape,),
    "errorcodes": (ErrorCodesShape,),
    "pod": (PodShape,),
    "jobs": (JobsFileShape,),
    "job": (JobShape,),
    "jobset": (JobSetShape,),
    "outcomes": (OutcomesShape,),
}
"""The forms that each kind of file may have."""


class _ForEditors(GenerateJsonSchema):
    """Writes durations as files do (``30s``), in fields and in defaults."""

    def timedelta_schema(self, schema: Any) -> dict[str, Any]:  # noqa: ANN401 - pydantic's own description of a field
        del schema
        return {"type": "string", "pattern": r"^[+]?(0|([0-9.]+(ns|us|ms|s|m|h|d))+)$", "examples": ["30s", "1h30m"]}

    def encode_default(self, dft: Any) -> Any:  # noqa: ANN401 - a default may be of any type
        return super().encode_default(_in_words(dft))


def _in_words(default: object) -> object:
    if isinstance(default, timedelta):
        return in_words(default.total_seconds())
    if isinstance(default, BaseModel):
        fields = type(default).model_fields
        return {fields[name].alias or name: _in_words(value) for name, value in default}
    if isinstance(default, Mapping):
        return {name: _in_words(value) for name, value in default.items()}
    return default


def run(kind: str, *, out: TextIO) -> Exit:
    """Print the schema of one kind of file."""
    json.dump(schema(kind), out, indent=2)
    out.write("\n")
    return Exit.FINE


def schema(kind: str) -> dict[str, Any]:
    """The schema of one kind of file: any one of its forms."""
    models = KINDS[kind]
    wanted: list[tuple[type[BaseModel], Literal["validation"]]] = [(model, "validation") for model in models]
    _, definitions = models_json_schema(wanted, by_alias=True, schema_generator=_ForEditors)
    for model in models:
        if issubclass(model, RootSettings):
            _add_effects(model, definitions["$defs"][model.__name__]["properties"])
    forms = [{"$ref": f"#/$defs/{model.__name__}"} for model in models]
    return {"$schema": DIALECT, "title": f"failctl {kind}", "anyOf": forms, **definitions}


def _add_effects(model: type[RootSettings], properties: Mapping[str, dict[str, Any]]) -> None:
    """Say of each setting when a change of it applies."""
    for field, info in model.model_fields.items():
        name = info.alias or field
        # pydantic leaves out a description that is that of the section too
        properties[name]["description"] = f"{info.description} {model.effects[name].applies}"
