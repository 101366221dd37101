"""What owners of pods submitted: the container names in the pod templates of Jobs and JobSets. No I/O."""

from datetime import datetime, timedelta

from agent.kube import objects
from agent.observe.templates import Names, made_of, templates


class Owners:
    """The names of each pod template's containers. Those of an owner that is gone stay for ``age``: pods outlive it."""

    def __init__(self, *, age: timedelta) -> None:
        self._age = age
        self._templates: dict[str, tuple[tuple[str, Names], ...]] = {}
        self._gone: dict[str, datetime] = {}

    def __len__(self) -> int:
        return len(self._templates)

    def put(self, owner: objects.Job | objects.JobSet) -> None:
        uid = owner.metadata.uid or ""
        self._templates[uid] = tuple(templates(owner))
        self._gone.pop(uid, None)

    def remove(self, uid: str, *, now: datetime) -> None:
        if uid in self._templates:
            self._gone.setdefault(uid, now)
        for old in [gone for gone, since in self._gone.items() if now - since > self._age]:
            del self._templates[old], self._gone[old]

    def template(self, pod: objects.Pod) -> Names | None:
        """The containers that the pod's owner submitted; ``None`` if not known. A JobSet counts before its Job."""
        for uid, wanted in made_of(pod):
            for name, names in self._templates.get(uid, ()):
                if name == wanted:
                    return names
        return None
