"""Only the process that serves the API pays for what serves it."""

import sys

import pytest

from tests.child import output_of

SERVING = ("fastapi", "starlette", "uvicorn")
OTHERS = (
    "agent.__main__",
    "agent.cluster.command",
    "agent.ctl.main",
    "agent.ctl.lookout.commands",
    "agent.demo.main",
    "agent.scheduler.command",
)


@pytest.mark.slow
@pytest.mark.parametrize("module", OTHERS)
def test_no_other_program_imports_it(module: str) -> None:
    code = f"import sys, {module}; print(*(name for name in {SERVING} if name in sys.modules))"

    assert output_of([sys.executable, "-c", code]).strip() == ""
