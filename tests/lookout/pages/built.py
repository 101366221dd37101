"""The pages as they are built: of the files that are here now, or not at all."""

import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from agent.lookout.api.pages import BUILT
from tests.ground.tree import ROOT
from tests.servers.availability import must_have

PROGRAM: Final = ROOT / "ui" / "build.py"


def require_pages(built: Path = BUILT, environ: Mapping[str, str] = os.environ) -> None:
    """Skip the test that asks unless the pages are those of ``ui/``; fail it under CI, which builds them before."""
    stamp = built / ".built-from"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted():
        return
    reason = "NOT RUN: needs the pages of Lookout, built of ui/ as it is now: `make ui` builds them"
    if must_have(environ):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def wanted() -> str:
    """What the build notes of the files that are here now."""
    spec = importlib.util.spec_from_file_location("pages_build", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    found: str = program.digest(program.sources())
    return found
