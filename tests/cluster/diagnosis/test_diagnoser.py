"""What a case that raises leaves behind."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from prometheus_client import REGISTRY

from agent.core.summary.redaction import Redactor
from agent.kube import objects
from tests.cluster.living import failed
from tests.cluster.test_one_look import NOW, looking


class BrokenRedactor(Redactor):
    def finds(self, text: str) -> bool:
        raise ValueError(f"broken by {text}")


async def test_an_amendment_that_cannot_be_made_ends_no_watch_and_is_not_waited_for(tmp_path: Path) -> None:
    async with looking(tmp_path, evidenceWait="0s") as look:
        await look.see(**failed(code=3))
        tracked = look.pipeline.pods.get("u")
        assert tracked is not None
        assert (tracked.working, tracked.unsaved) == (0, 1)
        diagnoser = look.pipeline.diagnoser
        diagnoser.diagnosis = replace(diagnoser.diagnosis, redactor=BrokenRedactor())
        about = objects.ObjectReference(kind="Pod", name="a", uid="u")
        event = objects.Event(
            metadata=objects.Metadata(uid="e"), involvedObject=about, type="Warning", message="mount failed"
        )
        look.pipeline.gatherer.events.put(event, now=NOW)

        before = _unreadable()

        await diagnoser.on_event("u", warning=True, now=NOW + timedelta(seconds=5))

        assert _unreadable() == before + 1
        assert (tracked.working, tracked.unsaved) == (0, 1)


def _unreadable() -> float:
    return REGISTRY.get_sample_value("failure_agent_bad_objects_total", {"kind": "failure"}) or 0.0
