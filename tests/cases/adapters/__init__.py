"""Adapters: one for each file of cases, found by the file's name."""

import importlib
import importlib.util
from pathlib import Path

from tests.cases.adapter import Adapter


def adapter_for(path: Path) -> Adapter | None:
    """Return the adapter of a file, ``None`` if there is none: ``armada_classifier`` for ``armada-classifier.json``."""
    module = f"{__name__}.{path.stem.replace('-', '_')}"
    if importlib.util.find_spec(module) is None:
        return None
    adapter: Adapter = importlib.import_module(module).ADAPTER
    return adapter
