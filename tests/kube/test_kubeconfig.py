"""Errors about a kubeconfig name the file and what is wrong with it."""

from pathlib import Path

import pytest

from agent.bounds import MAX_BYTES
from agent.kube import kubeconfig
from agent.kube.credentials import ConfigurationError, Credentials
from agent.kube.kubeconfig import KubeconfigError, read_kubeconfig
from agent.settings.kube import KubeSettings

ALIASES = "a0: &a0 {k: 1}\n" + "".join(
    f"a{level}: &a{level} {{k: [{', '.join([f'*a{level - 1}'] * 9)}]}}\n" for level in range(1, 40)
)
"""Each line is nine times as much as the one before."""

CONTEXTS = "contexts: [{name: here, context: {}}, {name: there, context: {}}]\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is empty"),
        (b"# nothing\n", "is empty"),
        (b"a: b: c\n", "cannot be read: line 1, column 5"),
        (b"a: \xff", "cannot be read: line 1, column 4: not UTF-8"),
        (b"a: !!python/object:os.system {}", "has no current context"),
        (b"a: 1\n---\nb: 1\n", "cannot be read: line 3, column 1: expected one document, found 2"),
        (ALIASES.encode(), "cannot be read: line 6, column 19: more than 60000 nodes"),
        (ALIASES.replace("k: [", "<<: [").encode(), "cannot be read: line 6, column 20: more than 60000 nodes"),
        (b"[a, b]", "is not a kubeconfig: it is not a mapping with clusters, contexts and users"),
        (b"a: " + b"[" * 1_000 + b"]" * 1_000, "cannot be read: line 1, column 103: nested more than 100 levels deep"),
        (b"- " * 200_000, "nested more than 100 levels deep"),
        (b"#" * (MAX_BYTES + 1), "is larger than 4 MiB"),
        (CONTEXTS.encode(), "has no current context; name one: it has here, there"),
        (b"current-context: ''\ncontexts: 3\n", "has no current context; name one: it has none"),
        (b"current-context: a\ncontexts: 3\n", "contexts must be a list"),
        (b"current-context: a\nusers: [{user: {token: secret}}]\n", "users[0] must be a mapping with a name"),
        (b"current-context: a\nusers: [secret]\n", "users[0] must be a mapping with a name"),
    ],
    ids=lambda value: str(value[:40]),
)
async def test_a_file_that_is_no_kubeconfig_is_reported(tmp_path: Path, text: bytes, said: str) -> None:
    path = tmp_path / "config"
    path.write_bytes(text)

    with pytest.raises(ConfigurationError) as raised:
        await Credentials.load(KubeSettings(kubeconfig=path))

    assert said in str(raised.value)
    assert str(path) in str(raised.value)


def test_a_context_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(f"current-context: here\n{CONTEXTS}")

    read_kubeconfig(path, context="there")
    with pytest.raises(KubeconfigError, match="has no context nowhere; it has here, there"):
        read_kubeconfig(path, context="nowhere")


async def test_a_kubeconfig_that_does_not_exist_or_is_a_folder_is_reported(tmp_path: Path) -> None:
    for path, said in ((tmp_path / "none", "there is no kubeconfig"), (tmp_path, "is a folder")):
        with pytest.raises(ConfigurationError, match=said):
            await Credentials.load(KubeSettings(kubeconfig=path))


def test_the_paths_that_were_searched_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubeconfig, "KUBE_CONFIG_DEFAULT_LOCATION", f"{tmp_path}/a:{tmp_path}/b")
    with pytest.raises(KubeconfigError, match=f"looked for {tmp_path}/a, {tmp_path}/b; name one, or set KUBECONFIG"):
        read_kubeconfig(None, context=None)

    (tmp_path / "b").write_text(f"current-context: here\n{CONTEXTS}")
    read_kubeconfig(None, context=None)


def cluster(name: str, *, server: str) -> str:
    """A kubeconfig whose one context leads to a server, with a token file next to it."""
    return f"""\
clusters: [{{name: {name}, cluster: {{server: "{server}"}}}}]
contexts: [{{name: {name}, context: {{cluster: {name}, user: {name}}}}}]
users: [{{name: {name}, user: {{tokenFile: token}}}}]
current-context: {name}
"""


async def test_names_and_labels_mean_what_they_mean_to_kubectl(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(cluster("2024-01-01", server="http://127.0.0.1:1").replace("tokenFile: token", "token: 2024-02-30"))

    credentials = await Credentials.load(KubeSettings(kubeconfig=path, context="2024-01-01"))

    assert credentials.configuration.api_key == {"BearerToken": "Bearer 2024-02-30"}


async def test_each_of_several_files_resolves_its_own_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, name in (("a", "first"), ("b", "second"), ("c", "first")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "token").write_text(folder)
        (tmp_path / folder / "config").write_text(cluster(name, server=f"http://{folder}:1"))
    files = ":".join(f"{tmp_path}/{folder}/config" for folder in "abc")
    monkeypatch.setattr(kubeconfig, "KUBE_CONFIG_DEFAULT_LOCATION", files)

    first = (await Credentials.load(KubeSettings())).configuration
    second = (await Credentials.load(KubeSettings(context="second"))).configuration

    assert (first.host, first.api_key) == ("http://a:1", {"BearerToken": "Bearer a"})
    assert (second.host, second.api_key) == ("http://b:1", {"BearerToken": "Bearer b"})


async def test_what_is_missing_is_reported_without_secrets(tmp_path: Path) -> None:
    path = tmp_path / "config"
    context = "current-context: here\ncontexts: [{name: here, context: {cluster: c, user: here}}]\n"
    path.write_text(f"{context}users: [{{name: here, user: {{token: secret}}}}]\n")

    with pytest.raises(ConfigurationError) as raised:
        await Credentials.load(KubeSettings(kubeconfig=path))

    assert "secret" not in str(raised.value)
