"""Makes what the wheel has beside the sources: the rules that ship, compiled, and the pages of Lookout."""

import os
import subprocess
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Made(BuildHookInterface):  # type: ignore[type-arg]  # of whichever builder
    """Runs the programs that make them, also for an editable install. ``AGENT_SKIP_UI=1`` leaves the pages out."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del version
        # In a process of its own, whose working directory comes first where Python looks for the package.
        subprocess.run([sys.executable, "-m", "agent.rule_files"], cwd=self.root, check=True)
        build_data["artifacts"].append("agent/config/error-categories.msgpack")
        if os.environ.get("AGENT_SKIP_UI") != "1":
            subprocess.run([sys.executable, "ui/build.py"], cwd=self.root, check=True)
            build_data["artifacts"].append("agent/lookout/pages/**")
