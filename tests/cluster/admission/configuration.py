"""The MutatingWebhookConfiguration of deploy/admission.yaml, for one namespace of a control plane of tests."""

from typing import Final

import yaml

from tests.ground.tree import ROOT
from tests.simulator.api import Json

FILE: Final = ROOT / "deploy" / "admission.yaml"


def named(name: str) -> Json:
    """The configuration under another name, because all namespaces of a control plane share them."""
    documents = yaml.load_all(FILE.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    (found,) = (document for document in documents if document["kind"] == "MutatingWebhookConfiguration")
    return {**found, "metadata": {"name": name}}
