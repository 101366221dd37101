"""``failure-agent cluster``: its command line and exit codes."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import structlog

from agent.broker.connect import BadAddress
from agent.broker.port import BrokerError, TopicTaken
from agent.cluster.app import run
from agent.cluster.config.files import ConfigurationFiles
from agent.cluster.spool.schema import SpoolError
from agent.documents.problem import ManifestError
from agent.kube.cluster_id import NoClusterId
from agent.kube.credentials import ConfigurationError
from agent.settings import ConfigError, load
from agent.settings.cluster import ClusterSettings
from agent.telemetry.logs import configure

_log = structlog.get_logger(__name__)

FINE, FAILED, USAGE, UNREACHABLE = range(4)


def main(argv: Sequence[str]) -> int:
    """Run the process; gives the exit code: 0 fine, 1 failed, 2 wrong usage or settings, 3 unreachable."""
    given = _parser().parse_args(argv)
    overrides = {
        "kube.kubeconfig": given.kubeconfig,
        "kube.context": given.context,
        "kube.url": given.url,
        "broker.url": given.broker,
    }
    try:
        files = ConfigurationFiles(
            file=given.settings, load=partial(load, ClusterSettings, given.settings, os.environ, overrides)
        )
        reading = files.read()
        configure(reading.value.settings.log.level, reading.value.settings.log.format)
        asyncio.run(run(reading, files))
    except (ConfigError, ManifestError, ConfigurationError, BadAddress, TopicTaken) as error:
        return _complain(error, USAGE)
    except (BrokerError, NoClusterId) as error:
        return _complain(error, UNREACHABLE)
    except (SpoolError, OSError) as error:
        return _complain(error, FAILED)
    except ExceptionGroup:
        _log.exception("a part of the agent failed and the agent ends; the next process goes on from the spool")
        return FAILED
    return FINE


def _complain(error: Exception, code: int) -> int:
    sys.stderr.write(f"{error}\n")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="failure-agent cluster", description="Watch a cluster and report why its pods fail."
    )
    parser.add_argument("--settings", type=Path, metavar="FILE", help="settings in YAML")
    parser.add_argument("--kubeconfig", metavar="FILE", help="overrides kube.kubeconfig")
    parser.add_argument("--context", metavar="NAME", help="overrides kube.context")
    parser.add_argument("--url", metavar="URL", help="an API server without credentials; overrides kube.url")
    parser.add_argument("--broker", metavar="URL", help="the broker; overrides broker.url")
    return parser
