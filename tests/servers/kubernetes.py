"""Fixtures with a real Kubernetes, and the line at the end of a run that says what was not run for want of it.

A plugin of pytest: ``tests.servers.kubernetes``.
"""

import secrets
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.servers.audit import audited
from tests.servers.availability import not_run, require, wants
from tests.servers.control_plane import ControlPlane, Options
from tests.servers.service_accounts import ServiceAccounts
from tests.servers.session import session
from tests.simulator.api import Api


@pytest.fixture(scope="session")
def kubernetes_program() -> Path:
    """The folder of the prepared server. Without one the test is skipped, or failed under CI."""
    return require("kubernetes")


@pytest.fixture(scope="session")
def shared_control_plane(kubernetes_program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """The control plane of all tests, without controllers, with an audit log.

    Tests take ``control_plane``, which is this one in order.
    """
    folder = tmp_path_factory.mktemp("kubernetes")
    with ControlPlane(kubernetes_program, folder, options=Options(api_server=audited(folder))) as running:
        yield running


@pytest.fixture
def control_plane(shared_control_plane: ControlPlane) -> ControlPlane:
    """The control plane all tests share, ready. A test may kill its parts, but makes what it needs in ``namespace``."""
    shared_control_plane.mend()
    return shared_control_plane


@pytest.fixture(scope="session")
def shared_scheduled_control_plane(
    kubernetes_program: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ControlPlane]:
    """Another control plane, with kube-scheduler: beside it, a pod that has no node in other tests would get one."""
    with ControlPlane(kubernetes_program, tmp_path_factory.mktemp("kubernetes")) as running:
        running.run_scheduler()
        yield running


@pytest.fixture
def scheduled_control_plane(shared_scheduled_control_plane: ControlPlane) -> ControlPlane:
    """The control plane in which pods get nodes, if a test has some: ``tests.servers.kubelet.nodes``."""
    shared_scheduled_control_plane.mend()
    return shared_scheduled_control_plane


@pytest.fixture
def scheduled_namespace(scheduled_control_plane: ControlPlane) -> str:
    """A new namespace in it. It stays when the test has ended."""
    return _make_namespace(scheduled_control_plane)


@pytest.fixture
def start_control_plane(kubernetes_program: Path, tmp_path: Path) -> Iterator[Callable[[Options], ControlPlane]]:
    """Starts control planes of the test's own, which end with it: ``start_control_plane(Options(...))``."""
    with ExitStack() as running:
        yield lambda options: running.enter_context(
            ControlPlane(kubernetes_program, tmp_path / f"kubernetes-{secrets.token_hex(4)}", options=options)
        )


@pytest.fixture
def namespace(control_plane: ControlPlane) -> str:
    """A new namespace in the shared control plane. It stays when the test has ended."""
    return _make_namespace(control_plane)


def _make_namespace(control_plane: ControlPlane) -> str:
    name = f"test-{secrets.token_hex(4)}"
    control_plane.client().create("/api/v1/namespaces", {"metadata": {"name": name}})
    return name


@pytest.fixture
def job_controller(control_plane: ControlPlane) -> ControlPlane:
    """The shared control plane with Kubernetes' own Job controller at work, QUICK. It goes on after the test."""
    if "kube-controller-manager" not in control_plane.living():
        control_plane.run_controllers("job-controller")
    return control_plane


@pytest.fixture
def jobset_controller(job_controller: ControlPlane) -> ControlPlane:
    """The shared control plane with JobSet's own controller at work, too. It goes on after the test.

    It counts a restart and deletes the Jobs; no garbage collector is there to delete their pods.
    """
    if "jobset" not in job_controller.living():
        job_controller.run_jobsets(require("jobset"))
    return job_controller


@pytest.fixture
def service_accounts(control_plane: ControlPlane, namespace: str) -> ServiceAccounts:
    """Makes service accounts in the test's namespace."""
    return ServiceAccounts(control_plane, namespace)


@pytest.fixture
async def real_api(control_plane: ControlPlane) -> AsyncIterator[Api]:
    """What the simulator's tests ask the simulator with, asking the shared control plane as ``admin``."""
    async with session(control_plane.tls(), control_plane.token) as opened:
        yield Api(opened, control_plane.url)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Have pytest list what is skipped for want of a server once a file, not once a test."""
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple) and wants(report.longrepr[2]):
        report.longrepr = (str(item.path), 1, report.longrepr[2])
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None]:
    """Say last of all, in one line, what was not run."""
    yield
    skipped = terminalreporter.getreports("skipped")
    if line := not_run((report.nodeid, str(report.longrepr)) for report in skipped):
        terminalreporter.write_line(line, red=True, bold=True)
