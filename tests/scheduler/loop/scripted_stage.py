"""The stage without servers: a whole scheduler in this process, and an agent that only says what it did."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, assert_never

from agent.core.lifecycle.job import SubmittedJob
from agent.scheduler.schedule.terms import PassTerms
from agent.scheduler.service.confirming import StopConfirmations
from agent.scheduler.service.requesting import JobRequests
from agent.scheduler.service.rights import Everybody
from agent.scheduler.service.waiting import Waiting
from agent.settings.scheduler import RunSettings
from agent.store import resources
from agent.store.store import Store
from tests.scheduler.loop.outcomes import QUEUE, SCRIPTS, Request
from tests.scheduler.loop.playing import Jobs, about_to_vanish
from tests.scheduler.loop.scripted_agent import ScriptedAgent
from tests.scheduler.loop.whole import QUICK, Whole, scheduler
from tests.scheduler.path import decision_inputs, wait_until

_WHO: Final = "ann"


class ScriptedStage:
    """``given`` goes to the agent."""

    def __init__(self, folder: Path, *, store_url: str = "", **given: Any) -> None:
        self._whole: Final = Whole(folder, store_url=store_url)
        self._given: Final = given
        self._stack: Final = ExitStack()

    def __enter__(self) -> Self:
        self._store = self._stack.enter_context(Store.open(self._whole.place.store_url))
        with self._store.write() as connection:
            resources.write(connection, QUEUE)
        runs = {**QUICK["runs"], "listInterval": "200ms"}
        self._stack.enter_context(scheduler(self._whole.folder, store=self._whole.store_settings(), runs=runs))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def agent(self) -> ScriptedAgent:
        """The agent, once it has begun."""
        return self._agent

    def submit(self, scripts: Sequence[str]) -> None:
        self._whole.submit(*scripts)

    def begin(self) -> None:
        self._agent = self._stack.enter_context(self._whole.agent(SCRIPTS, **self._given))

    def jobs(self) -> Jobs:
        return {job_id.removeprefix("job-"): job for job_id, job in self._whole.held(self._store).items()}

    def ask(self, request: Request, job: SubmittedJob) -> None:
        terms = PassTerms(inputs=decision_inputs(), runs=RunSettings())
        given: dict[str, Any] = {
            "rights": Everybody(),
            "clock": lambda _: datetime.now(UTC),
            "waiting": Waiting(lambda: terms),
        }
        requests = JobRequests(self._store, **given)
        match request:
            case Request.CANCEL:
                requests.cancel([job.job_id], who=_WHO, reason="")
            case Request.RETRY:
                requests.retry([job.job_id], again=False, who=_WHO, reason="")
            case Request.NEVER_RETRY:
                requests.never_retry([job.job_id], who=_WHO, reason="")
            case Request.CONFIRM_STOPPED:
                latest = job.latest
                assert latest is not None
                StopConfirmations(self._store, **given).confirm([latest.run_id], who=_WHO, reason="")
            case never:
                assert_never(never)

    def tend(self, jobs: Jobs) -> None:
        if (run := about_to_vanish(jobs)) is not None:
            self._agent.vanish(run.uid or "")

    def repeat_commands(self) -> None:
        """The creates of rejected runs make pods now."""
        started = {uid for uid, pod in self._agent.pods.items() if pod.started}
        self._agent.scripts = dict.fromkeys(SCRIPTS, ("ok",))
        self._agent.obey_again()
        wait_until(lambda: len(self._agent.pods) > len(started))
        wait_until(lambda: all(pod.deleted for uid, pod in self._agent.pods.items() if uid not in started))

    def lived(self) -> Mapping[str, int]:
        return Counter(_script_of(pod.identity.job_id) for pod in self._agent.pods.values() if pod.started)

    def assert_followed(self) -> None:
        self._whole.assert_followed()

    def overlaps(self) -> Sequence[object]:
        return self._agent.overlaps


def _script_of(job_id: str) -> str:
    return job_id.removeprefix("job-")
