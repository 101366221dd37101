"""One script being played on one pod."""

from dataclasses import dataclass

from agent.simulator.kinds import Json
from agent.simulator.script import Script, ScriptStep
from agent.simulator.store import Key


@dataclass(slots=True, kw_only=True)
class Play:
    """How far a script is. ``deleting``: the script itself deletes the pod. ``interrupted``: somebody else did.

    ``ended``: nothing more will happen.
    """

    script: Script
    key: Key
    uid: str
    step: int = 0
    own_node: str = ""
    deleting: bool = False
    interrupted: bool = False
    recorded: str = ""
    ended: bool = False

    @property
    def next_step(self) -> ScriptStep | None:
        """``None`` after the last step."""
        return self.script.steps[self.step] if self.step < len(self.script.steps) else None

    def fill(self, pod: Json, text: str) -> str:
        """Replace ``{pod}``, ``{namespace}``, ``{uid}`` and ``{node}`` in a text of the script."""
        namespace, name = self.key
        node = pod["spec"].get("nodeName", "")
        for word, value in (("{pod}", name), ("{namespace}", namespace), ("{uid}", self.uid), ("{node}", node)):
            text = text.replace(word, value)
        return text
