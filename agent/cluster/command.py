"""``failure-agent cluster``: its command line and exit codes."""

import asyncio

import structlog

from agent.broker.connect import BadAddress
from agent.broker.port import BrokerError, TopicTaken
from agent.cluster.app import run
from agent.cluster.config.files import REFUSALS, ClusterFiles, Configuration, configuration_files
from agent.cluster.runs.gates import NoGates
from agent.cluster.spool.schema import SpoolError
from agent.console.program import add, make_command_app
from agent.kube.cluster_id import NoClusterId
from agent.kube.credentials import ConfigurationError
from agent.process.command import Broker, Kubeconfig, KubeContext, KubeUrl, ProcessCommand, SettingsFile
from agent.process.exits import Exit
from agent.process.reloading import Reading

_log = structlog.get_logger(__name__)

app = make_command_app("cluster")


@add(
    app,
    "failure-agent cluster --settings cluster.yaml",
    "failure-agent cluster --settings cluster.yaml --kubeconfig ~/.kube/config --context gpu-east",
)
def cluster(
    settings: SettingsFile = None,
    kubeconfig: Kubeconfig = None,
    context: KubeContext = None,
    url: KubeUrl = None,
    broker: Broker = None,
) -> None:
    """Watch a cluster and report why its pods fail."""
    command = ProcessCommand(
        files=configuration_files,
        run=_run,
        expected={
            Exit.USAGE: (*REFUSALS, ConfigurationError, BadAddress, TopicTaken, NoGates),
            Exit.UNREACHABLE: (BrokerError, NoClusterId),
            Exit.FAILED: (SpoolError, OSError),
        },
    )
    overrides = {"kube.kubeconfig": kubeconfig, "kube.context": context, "kube.url": url, "broker.url": broker}
    command.main(settings, overrides)


def _run(reading: Reading[Configuration], files: ClusterFiles) -> Exit:
    try:
        asyncio.run(run(reading, files))
    except ExceptionGroup:
        _log.exception("a part of the agent failed and the agent ends; the next process goes on from the spool")
        return Exit.FAILED
    return Exit.FINE
