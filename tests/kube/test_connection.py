from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml
from aiohttp import web
from kubernetes.aio.config import ConfigException

from agent.kube.cluster_id import NoClusterId, cluster_id
from agent.kube.connection import Connection
from agent.kube.credentials import ConfigurationError, Credentials
from agent.kube.errors import ApiError, Unauthorized, Unreachable
from agent.settings.kube import KubeSettings
from tests.kube.cluster import cluster


class Guarded:
    """A server that requires a token, and records those that it gets."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.given: list[str | None] = []

    async def answer(self, request: web.Request) -> web.Response:
        self.given.append(request.headers.get("Authorization"))
        status = 200 if self.given[-1] == f"Bearer {self.token}" else 401
        return web.json_response({"metadata": {"uid": "id"}}, status=status)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self.answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}"
        finally:
            await runner.cleanup()


def kubeconfig(directory: Path, *, url: str, token: str, context: str = "here") -> Path:
    return write_kubeconfig(directory, url=url, user={"token": token}, context=context)


def write_kubeconfig(directory: Path, *, url: str, user: dict[str, str], context: str = "here") -> Path:
    path = directory / "kubeconfig"
    whole = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": url}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": context, "context": {"cluster": "c", "user": "u"}}],
        "current-context": context,
    }
    path.write_text(yaml.safe_dump(whole))
    return path


async def test_a_kubeconfig_names_the_server_and_the_token(tmp_path: Path) -> None:
    server = Guarded("secret")
    async with server.serving() as url:
        settings = KubeSettings(kubeconfig=kubeconfig(tmp_path, url=url, token="secret"), context="here")
        async with await Connection.open(settings) as connection:
            assert await cluster_id(connection) == "id"
    assert server.given == ["Bearer secret"]


async def test_a_token_that_is_refused_is_read_again_once(tmp_path: Path) -> None:
    server = Guarded("new")
    async with server.serving() as url:
        path = kubeconfig(tmp_path, url=url, token="old")
        async with await Connection.open(KubeSettings(kubeconfig=path)) as connection:
            kubeconfig(tmp_path, url=url, token="new")
            await connection.get("/x")
            await connection.get("/x")
    assert server.given == ["Bearer old", "Bearer new", "Bearer new"]


async def test_a_token_file_that_was_rotated_is_read_again(tmp_path: Path) -> None:
    server = Guarded("new")
    token = tmp_path / "token"
    token.write_text("old\n")
    async with server.serving() as url:
        path = write_kubeconfig(tmp_path, url=url, user={"tokenFile": str(token)})
        async with await Connection.open(KubeSettings(kubeconfig=path)) as connection:
            token.write_text("new\n")
            await connection.get("/x")
    assert server.given == ["Bearer old", "Bearer new"]


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_text("")], ids=["missing", "empty"])
async def test_credentials_that_cannot_be_read_are_a_refusal_until_they_can(
    spoil: Callable[[Path], object], tmp_path: Path
) -> None:
    """A file may be missing or empty for a moment while it is replaced: no reason to end."""
    server = Guarded("new")
    async with server.serving() as url:
        path = kubeconfig(tmp_path, url=url, token="old")
        async with await Connection.open(KubeSettings(kubeconfig=path)) as connection:
            spoil(path)
            with pytest.raises(Unauthorized):
                await connection.get("/x")
            kubeconfig(tmp_path, url=url, token="new")
            await connection.get("/x")
    assert server.given == ["Bearer old", "Bearer old", "Bearer new"]


async def test_a_token_that_is_no_longer_there_is_no_longer_sent(tmp_path: Path) -> None:
    server = Guarded("other")
    async with server.serving() as url:
        path = kubeconfig(tmp_path, url=url, token="old")
        async with await Connection.open(KubeSettings(kubeconfig=path)) as connection:
            write_kubeconfig(tmp_path, url=url, user={})
            with pytest.raises(Unauthorized):
                await connection.get("/x")
    assert server.given == ["Bearer old", None]


async def test_a_token_that_stays_refused_is_reported(tmp_path: Path) -> None:
    server = Guarded("other")
    async with server.serving() as url:
        path = kubeconfig(tmp_path, url=url, token="old")
        async with await Connection.open(KubeSettings(kubeconfig=path)) as connection:
            with pytest.raises(Unauthorized):
                await connection.get("/x")
    assert server.given == ["Bearer old", "Bearer old"]


@pytest.mark.parametrize("error", [FileNotFoundError("token"), ConfigException("Token file exists but empty.")])
async def test_a_service_account_token_that_is_being_replaced_is_unreachable(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_again(_configuration: object) -> None:
        raise error

    server = Guarded("any")
    async with server.serving() as url:
        credentials = await Credentials.load(KubeSettings(url=url))
        credentials.configuration.api_key["BearerToken"] = "old"
        monkeypatch.setattr(credentials.configuration, "refresh_api_key_hook", read_again)
        async with Connection(credentials) as connection:
            with pytest.raises(Unreachable, match="oken"):
                await connection.get("/x")


@pytest.mark.parametrize("text", ["", "just text", "{}", "clusters: [", "contexts: []\ncurrent-context: x\n"])
async def test_a_kubeconfig_that_cannot_be_used_is_reported(tmp_path: Path, text: str) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(text)
    with pytest.raises(ConfigurationError):
        await Connection.open(KubeSettings(kubeconfig=path))


async def test_a_missing_file_and_a_missing_cluster_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        await Connection.open(KubeSettings(kubeconfig=tmp_path / "none"))
    with pytest.raises(ConfigurationError):
        await Connection.open(KubeSettings(in_cluster=True))


async def test_an_address_where_nobody_listens_is_unreachable() -> None:
    async with await Connection.open(KubeSettings(url="http://127.0.0.1:1")) as connection:
        with pytest.raises(Unreachable):
            await connection.get("/api/v1/pods")


async def test_a_refusal_has_the_servers_message_and_retry_after() -> None:
    async with cluster() as it:
        await it.api.add_fault(kind="status", verb="list", code=429, retry_after=3, text="later", times=1)
        with pytest.raises(ApiError) as refused:
            await it.connection.get("/api/v1/pods")
    assert (refused.value.status, refused.value.retry_after) == (429, 3.0)
    assert (refused.value.reason, refused.value.message) == ("TooManyRequests", "later")


async def test_a_server_that_is_no_kubernetes_has_no_identity() -> None:
    async with cluster() as it:
        listed = await it.api.get("/api/v1/namespaces/kube-system")
        assert await cluster_id(it.connection) == listed["metadata"]["uid"]
        await it.api.add_fault(kind="status", verb="get", code=404, times=1)
        with pytest.raises(ApiError):
            await cluster_id(it.connection)


async def test_an_answer_without_a_uid_is_no_identity() -> None:
    async def nothing(_request: web.Request) -> web.Response:
        return web.json_response({"metadata": {}})

    app = web.Application()
    app.router.add_get("/{path:.*}", nothing)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    async with await Connection.open(KubeSettings(url=url)) as connection:
        with pytest.raises(NoClusterId):
            await cluster_id(connection)
    await runner.cleanup()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:1", "cannot connect to 127.0.0.1:1: Connection refused"),
        ("http://[::1]:1", "cannot connect to [::1]:1: "),
    ],
)
async def test_an_unreachable_server_is_reported_without_the_librarys_words(url: str, said: str) -> None:
    async with await Connection.open(KubeSettings(url=url)) as connection:
        with pytest.raises(Unreachable) as refused:
            await connection.get("/version")

    assert str(refused.value).startswith(said)
    assert "ssl:" not in str(refused.value)
