import pytest

from tests.servers.control_plane_program import SOURCE, kubernetes_version


@pytest.mark.parametrize(
    "go_mod",
    [
        "module m\n\nrequire k8s.io/kubernetes v1.35.4\n",
        "module m\n\nrequire (\n\tk8s.io/component-base v0.35.4\n\tk8s.io/kubernetes v1.35.4\n)\n",
    ],
)
def test_the_version_is_the_one_go_mod_requires(go_mod: str) -> None:
    assert kubernetes_version(go_mod) == "v1.35.4"


def test_a_go_mod_without_kubernetes_is_refused() -> None:
    with pytest.raises(ValueError, match=r"k8s\.io/kubernetes"):
        kubernetes_version("module m\n\nrequire k8s.io/component-base v0.35.4\n")


def test_ours_has_its_parts_of_one_version() -> None:
    """Kubernetes' own go.mod asks for its parts at v0.0.0, which was never published: ours must name them all."""
    go_mod = (SOURCE / "go.mod").read_text()
    minor = kubernetes_version(go_mod).removeprefix("v1.")

    assert f"k8s.io/component-base v0.{minor}\n" in go_mod
    assert f"k8s.io/kubectl v0.{minor}\n" in go_mod
    assert f"k8s.io/api v0.{minor} // indirect\n" in go_mod
    assert " v0.0.0 " not in go_mod
    assert "replace" not in go_mod
