"""The kubeconfig with which kubectl, and whatever else takes one, reaches a simulated cluster."""

from pathlib import Path

import yaml


def kubeconfig(cluster: str, url: str) -> str:
    """The text of a kubeconfig whose only context, current, is the cluster. Nobody needs credentials there."""
    context = {"name": cluster, "context": {"cluster": cluster, "user": cluster}}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": cluster, "cluster": {"server": url}}],
        "users": [{"name": cluster, "user": {}}],
        "contexts": [context],
        "current-context": cluster,
    }
    return yaml.safe_dump(document, sort_keys=False)


def write_kubeconfig(file: Path, *, cluster: str, url: str) -> None:
    """Write the file, in place of what is there. Raises OSError."""
    file.write_text(kubeconfig(cluster, url), encoding="utf-8")
