"""A change over the API changes the verdicts of its own jobs, and of no others."""

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from agent.core.retry.policy import RetrySettings
from agent.scheduler.consume.batch import DecisionInputs
from agent.scheduler.consume.handler import Decisions
from agent.scheduler.service.plan import Intent
from agent.store import timeline
from tests.manifests.resource.documents import policy, queue
from tests.scheduler.path import delivery, message
from tests.scheduler.service.site import Site
from tests.store.events import event, failed


class Deciding:
    """A scheduler's decisions by what is in force at the API; a failed run for each kind of job."""

    def __init__(self, api: Site) -> None:
        self._api = api
        self._count = 0
        self._decisions = Decisions(api.store, inputs=self._inputs(), clock=lambda _: datetime.now(UTC))

    def verdicts(self) -> Sequence[tuple[str, tuple[tuple[str, int | None], ...]]]:
        """What is decided of a new job of each queue and of an annotated one, and by which policies."""
        self._decisions.use(self._inputs())
        return [self._fail(queue="one"), self._fail(queue="two"), self._fail(annotation="c")]

    def _inputs(self) -> DecisionInputs:
        given = self._api.given[-1]
        return DecisionInputs(
            catalog=given.catalog,
            settings=RetrySettings(enabled=True),
            grace_period=given.grace_period,
            draw=given.draw,
        )

    def _fail(self, *, queue: str = "", annotation: str = "") -> tuple[str, tuple[tuple[str, int | None], ...]]:
        self._count += 1
        told = event(f"e{self._count}", failed(), run=f"r{self._count}", job=f"j{self._count}")
        identity = replace(told.identity, queue=queue, retry_policies=annotation)
        self._decisions.handle([delivery(message(replace(told, identity=identity)))])
        with self._api.store.read() as connection:
            found = timeline.find(connection, f"j{self._count}")
        assert found is not None
        assert found.runs[0].verdict is not None
        explanation = found.runs[0].verdict.verdict.explanation
        by = tuple(zip(explanation.policies, explanation.versions, strict=True))
        return explanation.action.value, by


def test_an_update_changes_only_the_verdicts_of_its_own_jobs(api: Site) -> None:
    text = "---\n".join([policy("a"), policy("b", limit=0), policy("c"), queue("one", ["a"]), queue("two", ["b"])])
    api.resources.put(text, who="x", intent=Intent.CREATE)
    deciding = Deciding(api)

    before = deciding.verdicts()
    api.resources.put(policy("a", limit=0), who="x", intent=Intent.UPDATE)
    after = deciding.verdicts()

    assert before == [("retry", (("a", 1),)), ("fail", (("b", 1),)), ("retry", (("c", 1),))]
    assert after == [("fail", (("a", 2),)), *before[1:]]
