"""Compiles the rules that ship while the wheel is built, also for an editable install (``agent.compiled_rules``)."""

import subprocess
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledRules(BuildHookInterface):  # type: ignore[type-arg]  # of whichever builder
    """Makes the file of compiled rules, from the code and the rules that are built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del version
        # In a process of its own, whose working directory comes first where Python looks for the package.
        subprocess.run([sys.executable, "-m", "agent.rule_files"], cwd=self.root, check=True)
        build_data["artifacts"].append("agent/config/error-categories.msgpack")
