"""``failctl schema``: JSON Schemas of the files that people write, for editors."""

import json
from collections.abc import Mapping
from typing import Any, TextIO

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from agent.ctl.exits import Exit, UsageError
from agent.manifests.armada_policy import ArmadaPolicyShape
from agent.manifests.category_shapes import BlockFile, ListFile
from agent.manifests.retry_shapes import RetryPolicyShape
from agent.manifests.scenario_shapes import ScenarioShape
from agent.settings.cluster import ClusterSettings
from agent.settings.scheduler import SchedulerSettings

DIALECT = "https://json-schema.org/draft/2020-12/schema"


KINDS: Mapping[str, tuple[type[BaseModel], ...]] = {
    "categories": (ListFile, BlockFile),
    "retrypolicy": (RetryPolicyShape, ArmadaPolicyShape),
    "settings": (SchedulerSettings, ClusterSettings),
    "scenario": (ScenarioShape,),
}
"""The forms that each kind of file may have."""


def run(kind: str, *, out: TextIO) -> Exit:
    """Print the schema of one kind of file. Raises UsageError for a kind that is none."""
    if kind not in KINDS:
        raise UsageError(f"{kind}: one of {', '.join(KINDS)}")
    json.dump(schema(kind), out, indent=2)
    out.write("\n")
    return Exit.FINE


def schema(kind: str) -> dict[str, Any]:
    """The schema of one kind of file: any one of its forms."""
    models = KINDS[kind]
    _, definitions = models_json_schema([(model, "validation") for model in models], by_alias=True)
    forms = [{"$ref": f"#/$defs/{model.__name__}"} for model in models]
    return {"$schema": DIALECT, "title": f"failctl {kind}", "anyOf": forms, **definitions}
