"""What is wrong with a kubeconfig is said in words, with the place where it was looked for."""

from pathlib import Path

import pytest

from agent.bounds import MAX_BYTES
from agent.kube import kubeconfig
from agent.kube.credentials import ConfigurationError, Credentials
from agent.kube.kubeconfig import KubeconfigError, check_kubeconfig
from agent.settings.kube import KubeSettings

CONTEXTS = "contexts: [{name: here, context: {}}, {name: there, context: {}}]\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is empty"),
        (b"# nothing\n", "is empty"),
        (b"a: b: c\n", "is not YAML: line 1, column 5"),
        (b"a: \xff", "is not YAML"),
        (b"a: !!python/object:os.system {}", "is not YAML"),
        (b"[a, b]", "is not a kubeconfig: it is not a mapping with clusters, contexts and users"),
        (b"a: " + b"[" * 1_000 + b"]" * 1_000, "nested more than 100 levels deep"),
        (b"- " * 200_000, "nested more than 100 levels deep"),
        (b"#" * (MAX_BYTES + 1), "is larger than 4 MiB"),
        (CONTEXTS.encode(), "has no current context; name one: it has here, there"),
        (b"current-context: ''\ncontexts: 3\n", "has no current context; name one: it has none"),
    ],
    ids=lambda value: str(value[:40]),
)
async def test_a_kubeconfig_that_is_none(tmp_path: Path, text: bytes, said: str) -> None:
    path = tmp_path / "config"
    path.write_bytes(text)

    with pytest.raises(ConfigurationError) as raised:
        await Credentials.load(KubeSettings(kubeconfig=path))

    assert said in str(raised.value)
    assert str(path) in str(raised.value)


def test_a_context_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(f"current-context: here\n{CONTEXTS}")

    check_kubeconfig(path, context="there")
    with pytest.raises(KubeconfigError, match="has no context nowhere; it has here, there"):
        check_kubeconfig(path, context="nowhere")


async def test_a_kubeconfig_that_is_not_there_or_is_a_folder(tmp_path: Path) -> None:
    for path, said in ((tmp_path / "none", "there is no kubeconfig"), (tmp_path, "is a folder")):
        with pytest.raises(ConfigurationError, match=said):
            await Credentials.load(KubeSettings(kubeconfig=path))


def test_where_the_users_own_was_looked_for_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubeconfig, "KUBE_CONFIG_DEFAULT_LOCATION", f"{tmp_path}/a:{tmp_path}/b")
    with pytest.raises(KubeconfigError, match=f"looked for {tmp_path}/a, {tmp_path}/b; name one, or set KUBECONFIG"):
        check_kubeconfig(None, context=None)

    (tmp_path / "b").write_text(f"current-context: here\n{CONTEXTS}")
    check_kubeconfig(None, context=None)
