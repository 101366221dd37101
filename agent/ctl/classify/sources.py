"""What ``failctl classify`` is to read: files, or pods of a cluster."""

from collections.abc import Sequence

from agent.console.exits import UsageError
from agent.console.terminal import visible
from agent.ctl.api_server import ApiServerAddress


def one_source(
    target: Sequence[str], files: Sequence[str], *, where: ApiServerAddress, namespace: str, logs: bool
) -> None:
    """Raise UsageError unless either pods of a cluster or files are named."""
    if bool(target) == bool(files):
        raise UsageError("name files of pods with -f, or pods of a cluster with pod NAME -n NAMESPACE")
    if files and (where != ApiServerAddress() or namespace or logs):
        raise UsageError("-n, --kubeconfig, --context, --url and --logs are about pods of a cluster, not about files")


def pod_names(words: Sequence[str]) -> Sequence[str]:
    """The names behind the word ``pod``. Raises UsageError."""
    kind, *names = words
    if kind not in {"pod", "pods"} or not names or "" in names:
        raise UsageError(f"{visible(' '.join(words))}: write pod NAME, or name files of pods with -f")
    return names
