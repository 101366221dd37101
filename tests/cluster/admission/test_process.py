"""``failure-agent admission`` as a process: it serves, is ready, stops, and refuses settings without a webhook."""

import asyncio
import signal
from pathlib import Path

import pytest
import yaml

from tests.cluster.living import eventually, living
from tests.cluster.process import AgentProcess, run
from tests.servers.authority import Authority

pytestmark = pytest.mark.slow


def write(file: Path, url: str, **more: object) -> Path:
    """Settings as mode daemonset has them; neither spool nor broker can be used."""
    settings = {
        "cluster": "east",
        "kube": {"url": url},
        "mode": "daemonset",
        "node": {"name": "n1"},
        "lease": {"namespace": "default", "name": "agent"},
        "broker": {"url": "sqlite:////no/such/folder/log.db"},
        "spool": {"path": "/no/such/folder/spool.db"},
        "health": {"port": 0},
        **more,
    }
    file.write_text(yaml.safe_dump(settings))
    return file


async def test_it_serves_until_it_is_asked_to_stop(tmp_path: Path) -> None:
    certificate = Authority(tmp_path / "keys").issue("webhook")
    admission = {"port": 0, "certificateFile": str(certificate.certificate), "keyFile": str(certificate.key)}
    async with living(tmp_path) as life:
        settings = write(tmp_path / "cluster.yaml", life.simulation.url, admission=admission)
        with AgentProcess(settings, log=tmp_path / "agent.log", command="admission") as process:
            await eventually(lambda: asyncio.to_thread(process.is_ready))
            said = {line["event"] for line in process.logged()}
            process.signal(signal.SIGTERM)

            assert await asyncio.to_thread(process.wait) == 0
    assert {"the admission webhook is served", "answering"} <= said


def test_without_the_webhook_in_settings_it_ends_with_2_and_says_why(tmp_path: Path) -> None:
    ended = run("admission", "--settings", str(write(tmp_path / "cluster.yaml", "http://127.0.0.1:1")))

    assert ended.returncode == 2
    assert "admission: is not set, and this process only answers the webhook" in ended.stderr
