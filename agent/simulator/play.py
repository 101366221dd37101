"""One script being played on one pod."""

import re
from dataclasses import dataclass
from typing import Final

from agent.simulator.assignment import main_container
from agent.simulator.kinds import Json
from agent.simulator.script import Script, ScriptStep
from agent.simulator.store import Key

_WORD: Final = re.compile(r"\{[a-z]+\}")


@dataclass(slots=True, kw_only=True)
class Play:
    """How far a script is. ``deleting``: the script itself deletes the pod. ``interrupted``: somebody else did.

    ``grace`` is the shortest grace period, in seconds, that deletions by others gave.
    ``ended``: nothing more will happen.
    """

    script: Script
    key: Key
    uid: str
    step: int = 0
    own_node: str = ""
    deleting: bool = False
    interrupted: bool = False
    grace: int | None = None
    recorded: str = ""
    ended: bool = False

    @property
    def next_step(self) -> ScriptStep | None:
        """``None`` after the last step."""
        return self.script.steps[self.step] if self.step < len(self.script.steps) else None

    def fill(self, pod: Json, text: str) -> str:
        """Replace what stands for the pod in a text of the script (see ``script``)."""
        namespace, name = self.key
        main = main_container(pod)
        values = {
            "{pod}": name,
            "{namespace}": namespace,
            "{uid}": self.uid,
            "{node}": pod["spec"].get("nodeName", ""),
            "{container}": main.get("name", ""),
            "{image}": main.get("image", ""),
        }
        return _WORD.sub(lambda found: values.get(found[0], found[0]), text)
