"""The API of a scheduler without the rest of it: a store, the policies in force, and what is asked of them."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from threading import Event

from agent.core.summary.redaction import Redactor
from agent.manifests.resource.kind import Kind
from agent.scheduler.config.files import Configuration, configuration_files
from agent.scheduler.config.in_force import InForce
from agent.scheduler.consume.batch import DecisionInputs
from agent.scheduler.schedule.terms import PassTerms
from agent.scheduler.service.confirming import StopConfirmations
from agent.scheduler.service.job_servicer import JobServicer
from agent.scheduler.service.records import RecordServicer
from agent.scheduler.service.requesting import JobRequests
from agent.scheduler.service.resources import Resources
from agent.scheduler.service.rights import Authorizer, Everybody
from agent.scheduler.service.server import ApiServer, Services
from agent.scheduler.service.servicer import ResourceServicer
from agent.scheduler.service.submitted_pods import SubmittedPods
from agent.scheduler.service.submitting import Submissions
from agent.scheduler.service.waiting import Waiting
from agent.store.store import Store

AT = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


def configuration(*files: Path) -> Configuration:
    """Settings with these files of policies."""
    overrides = {"broker.url": "sqlite:///unused", "store.url": "sqlite:///unused"}
    named = {"policies": str([str(file) for file in files])} if files else {}
    return configuration_files(None, {}, {**overrides, **named}).read().value


@dataclass
class Site:
    """The parts, and every inputs that decisions were given."""

    store: Store
    in_force: InForce
    resources: Resources
    submissions: Submissions
    pods: SubmittedPods
    requests: JobRequests
    confirmations: StopConfirmations
    waiting: Waiting
    given: list[DecisionInputs] = field(default_factory=list)

    def effective(self, queue: str, annotation: str = "") -> tuple[str, ...]:
        """The policies for a job, by name, as decisions see them now."""
        return self.given[-1].catalog.in_effect(queue, annotation).names

    def names(self, kind: Kind) -> Sequence[str]:
        """The stored resources of a kind."""
        return [one.name for one in self.resources.everything(kind)[0] if one.stored is not None]


def site(store: Store, *files: Path, rights: Authorizer | None = None, job_ids: Iterable[str] = ()) -> Site:
    """The API over a store. Jobs get these ids, then ``job-0001`` and so on."""
    given: list[DecisionInputs] = []
    numbers, ids = count(1), chain(job_ids, (f"job-{number:04}" for number in count(1)))
    in_force = InForce(configuration(*files), store, use=given.append)
    rights = rights or Everybody()
    resources = Resources(
        store,
        in_force=in_force,
        rights=rights,
        clock=lambda _: AT,
        new_uid=lambda: f"uid-{next(numbers)}",
    )
    submissions = Submissions(store, rights=rights, warn=in_force.notes, clock=lambda _: AT, new_id=lambda _: next(ids))
    waiting = Waiting(lambda: PassTerms(inputs=in_force.inputs, runs=in_force.configuration.settings.runs))
    requests = JobRequests(store, rights=rights, clock=lambda _: AT, waiting=waiting)
    confirmations = StopConfirmations(store, rights=rights, clock=lambda _: AT, waiting=waiting)
    in_force.cache.look()
    in_force.take(in_force.configuration)
    return Site(
        store=store,
        in_force=in_force,
        resources=resources,
        submissions=submissions,
        pods=SubmittedPods(store, rights, Redactor()),
        requests=requests,
        confirmations=confirmations,
        waiting=waiting,
        given=given,
    )


def services(made: Site, *, stop: Event) -> Services:
    """What the API serves."""
    return Services(
        resources=ResourceServicer(made.resources, in_force=lambda: made.in_force.cache.current, stop=stop, poll=0.02),
        records=RecordServicer(
            made.store,
            catalog=lambda: made.in_force.catalog,
            clock=lambda _: AT,
            waiting=made.waiting,
        ),
        jobs=JobServicer(
            submissions=made.submissions, pods=made.pods, requests=made.requests, confirmations=made.confirmations
        ),
    )


@contextmanager
def served(made: Site) -> Iterator[str]:
    """Listen; gives the address."""
    stop = Event()
    with ApiServer("127.0.0.1", 0, services(made, stop=stop), stop=stop) as server:
        yield f"127.0.0.1:{server.port}"
