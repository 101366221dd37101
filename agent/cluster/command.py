"""``failure-agent cluster``: its command line and exit codes."""

import asyncio
from collections.abc import Sequence
from typing import Final

import structlog

from agent.broker.connect import BadAddress
from agent.broker.port import BrokerError, TopicTaken
from agent.cluster.app import run
from agent.cluster.config.files import REFUSALS, ClusterFiles, Configuration, configuration_files
from agent.cluster.spool.schema import SpoolError
from agent.kube.cluster_id import NoClusterId
from agent.kube.credentials import ConfigurationError
from agent.process.command import BROKER, Override, ProcessCommand
from agent.process.exits import Exit
from agent.process.reloading import Reading

_log = structlog.get_logger(__name__)

_KUBE: Final = (
    Override(option="--kubeconfig", metavar="FILE", setting="kube.kubeconfig", help="overrides kube.kubeconfig"),
    Override(option="--context", metavar="NAME", setting="kube.context", help="overrides kube.context"),
    Override(
        option="--url",
        metavar="URL",
        setting="kube.url",
        help="an API server without credentials; overrides kube.url",
    ),
)


def main(argv: Sequence[str]) -> int:
    """Run the process; gives the exit code: 0 fine, 1 failed, 2 wrong usage or settings, 3 unreachable."""
    return ProcessCommand(
        name="cluster",
        description="Watch a cluster and report why its pods fail.",
        overrides=(*_KUBE, BROKER),
        files=configuration_files,
        run=_run,
        expected={
            Exit.USAGE: (*REFUSALS, ConfigurationError, BadAddress, TopicTaken),
            Exit.UNREACHABLE: (BrokerError, NoClusterId),
            Exit.FAILED: (SpoolError, OSError),
        },
    ).main(argv)


def _run(reading: Reading[Configuration], files: ClusterFiles) -> Exit:
    try:
        asyncio.run(run(reading, files))
    except ExceptionGroup:
        _log.exception("a part of the agent failed and the agent ends; the next process goes on from the spool")
        return Exit.FAILED
    return Exit.FINE
