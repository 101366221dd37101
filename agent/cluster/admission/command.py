"""``failure-agent admission``: its command line and exit codes."""

import asyncio

import structlog

from agent.cluster.admission.process import run
from agent.cluster.config.files import REFUSALS, ClusterFiles, Configuration, configuration_files
from agent.console.program import add, make_command_app
from agent.kube.credentials import ConfigurationError
from agent.process.command import Kubeconfig, KubeContext, KubeUrl, ProcessCommand, SettingsFile
from agent.process.exits import Exit
from agent.process.reloading import Reading

_log = structlog.get_logger(__name__)

app = make_command_app("admission")


@add(
    app,
    "failure-agent admission --settings cluster.yaml",
    "failure-agent admission --settings cluster.yaml --kubeconfig ~/.kube/config --context gpu-east",
)
def admission(
    settings: SettingsFile = None,
    kubeconfig: Kubeconfig = None,
    context: KubeContext = None,
    url: KubeUrl = None,
) -> None:
    """Answer the admission webhook only, for mode daemonset.

    It reads the settings of failure-agent cluster; needs no spool and no broker.
    """
    command = ProcessCommand(
        files=configuration_files,
        run=_run,
        expected={
            Exit.USAGE: (*REFUSALS, ConfigurationError),
            Exit.FAILED: (OSError,),
        },
    )
    command.main(settings, {"kube.kubeconfig": kubeconfig, "kube.context": context, "kube.url": url})


def _run(reading: Reading[Configuration], files: ClusterFiles) -> Exit:
    try:
        asyncio.run(run(reading, files))
    except ExceptionGroup:
        _log.exception("a part of the process failed and the process ends; Jobs count failures as without it")
        return Exit.FAILED
    return Exit.FINE
