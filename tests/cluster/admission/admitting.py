"""A whole agent with its webhook, and a real API server that asks it."""

import ssl
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPSConnection
from pathlib import Path
from typing import Final

from agent.cluster.admission.server import PATH
from agent.core.failure import Admission, Failure
from agent.shipped import RULES, shipped
from tests.cluster.admission import patience
from tests.cluster.admission.configuration import named
from tests.cluster.admission.patience import SETTING, patient
from tests.cluster.admission.plain_job import PlainJob
from tests.cluster.process import AgentProcess
from tests.cluster.real import Real, metrics_of
from tests.servers.authority import Authority
from tests.servers.client import Answer
from tests.servers.control_plane import ControlPlane
from tests.servers.patience import until
from tests.servers.ports import free_ports
from tests.servers.webhook_configuration import installed
from tests.simulator.api import Json

_WATCHED: Final = 'failure_agent_reflector_objects{kind="pod"}'
_OFTEN: Final = {"interval": "100ms"}
"""How often the agent counts what it watches."""


@dataclass(frozen=True, kw_only=True)
class Admitting:
    """The agent's process, the namespace that it watches, and the way to its webhook."""

    plane: ControlPlane
    real: Real
    agent: AgentProcess
    url: str
    trusting: ssl.SSLContext

    def job(self, name: str) -> PlainJob:
        return PlainJob(client=self.real.client, namespace=self.real.namespace, name=name)

    def until_watched(self) -> None:
        """Wait until the agent has seen all pods, because it gives no condition to one that it does not know."""
        # a Job may make another pod meanwhile, so both are counted each time
        until(lambda: self.metrics()[_WATCHED] == self._made(), "all pods watched")

    def _made(self) -> int:
        return len(self.real.client.get(self.real.pods)["items"])

    def fail(self, job: PlainJob, ends: Mapping[int, Json]) -> Mapping[int, Json]:
        """Let pods of a Job end that the agent knows."""
        self.until_watched()
        return job.fail(ends)

    @property
    def log(self) -> Path:
        return self.real.folder / "agent.log"

    def answers(self) -> float:
        """How many reviews it has answered."""
        return self.metrics()["failure_agent_admission_seconds_count"]

    def metrics(self) -> Mapping[str, float]:
        return metrics_of(self.agent)

    def ask(self, body: bytes) -> Answer:
        """Send this to the webhook as its clients do. Raises OSError where it has no answer."""
        where = urllib.parse.urlsplit(self.url)
        headers = {"Content-Type": "application/json"}
        with closing(HTTPSConnection(where.netloc, context=self.trusting, timeout=10)) as connection:
            connection.request("POST", where.path, body, headers)
            answer = connection.getresponse()
            return Answer(status=answer.status, headers=answer.headers, body=answer.read())


@contextmanager
def admitting(plane: ControlPlane, namespace: str, folder: Path, **settings: object) -> Iterator[Admitting]:
    """An agent with the shipped rules that is asked about a namespace; ``settings`` are of the webhook, as in files.

    It has time to answer, and the API server waits, however busy the machine is.
    """
    authority, (port,) = Authority(folder / "keys"), free_ports(1)
    certificate = authority.issue("webhook")
    url = f"https://127.0.0.1:{port}{PATH}"
    real = Real(client=plane.client(), namespace=namespace, kubeconfig=plane.kubeconfig(), folder=folder)
    trusting = ssl.create_default_context(cafile=authority.certificate)
    admission = {
        "port": port,
        "certificateFile": str(certificate.certificate),
        "keyFile": str(certificate.key),
        **SETTING,
        **settings,
    }
    configuration = patient(named(namespace))
    file = real.settings(categories=str(shipped(RULES)), heartbeat=_OFTEN, admission=admission)
    with (
        real.agent(file, program=patience.__name__) as agent,
        installed(configuration, plane, url=url, authority=authority.certificate, within=namespace),
    ):
        yield Admitting(plane=plane, real=real, agent=agent, url=url, trusting=trusting)


def reported_admissions(webhook: Admitting) -> Mapping[str, Admission | None]:
    """What the reports of failures say of our conditions, by the names of pods."""
    failures = ((event.pod.name, event.event) for event in webhook.real.events())
    return {name: failure.admission for name, failure in failures if isinstance(failure, Failure)}
