"""No control character reaches the terminal: from the command line, the environment, files, or servers."""

import json
import unicodedata
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import grpc
import pytest

from tests.answering import answering
from tests.ctl.any_input_ends import End, called
from tests.ctl.any_input_places import Run
from tests.ground.programs import parsers

COMMANDS: Final = parsers("failctl")
HOSTILE: Final = "x\x1b[31m\x1b]0;t\x07\x9b2J\x7f\r\x08y\u202e\u2028z"
"""Colours, a title, another way to clear the screen, and what overwrites or turns around the line that it is in."""

pytestmark = pytest.mark.slow


def assert_visible(end: End, *, of: object) -> None:
    """Fails if a character that moves the cursor, or is obeyed in another way, was written."""
    text = (end.out + end.err).decode()
    obeyed = {char for char in text if unicodedata.category(char) in ("Cc", "Zl", "Zp") or char == "\u202e"}
    assert not obeyed - {"\n"}, (of, text)


@pytest.mark.parametrize("command", COMMANDS)
def test_of_the_command_line(command: str, tmp_path: Path) -> None:
    words = command.split()
    for given in ([HOSTILE], ["--yes", HOSTILE, HOSTILE], *options(command)):
        assert_visible(called([*words, *given], Run(), tmp_path), of=[*words, *given])


def options(command: str) -> Iterator[list[str]]:
    """Each option of a command that takes a value, with a hostile one, beside a name."""
    for param in COMMANDS[command].params:
        if param.param_type_name == "option" and not param.is_flag and param.opts[-1] != "--color":
            yield [param.opts[-1], HOSTILE, "a"]


VARIABLES: Final = (
    "FAILCTL_SERVER",
    "FAILCTL_CONFIG",
    "FAILURE_AGENT_STORE_URL",
    "FAILURE_AGENT_BROKER_URL",
    "FAILURE_AGENT_CLUSTER",
    f"FAILURE_AGENT_{HOSTILE}",
    "KUBECONFIG",
    "LOGNAME",
    "USER",
    "XDG_CONFIG_HOME",
    "TERM",
)


@pytest.mark.parametrize("variable", VARIABLES)
def test_of_the_environment(variable: str, tmp_path: Path) -> None:
    settings = tmp_path / "scheduler.yaml"
    settings.write_text('broker: {url: "sqlite:///log.db"}\nstore: {url: "sqlite:///store.db"}\n', encoding="utf-8")
    for words in (
        ["get", "jobs", "--settings", "scheduler.yaml"],
        ["context", "list"],
        ["classify", "pod", "a"],
        ["delete", "queue", "a"],
    ):
        assert_visible(called(words, Run(env={variable: HOSTILE}), tmp_path), of=(variable, words))


FILES: Final[Mapping[str, str]] = {
    "yaml": json.dumps({"kind": HOSTILE, HOSTILE: HOSTILE}),
    "text": HOSTILE,
    "kubeconfig": json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": HOSTILE,
            "contexts": [{"name": HOSTILE, "context": {"cluster": HOSTILE, "user": HOSTILE}}],
        }
    ),
    "contexts": json.dumps({"current": HOSTILE, "contexts": {HOSTILE: {"server": HOSTILE}}}),
    "pod": json.dumps(
        {
            "kind": "Pod",
            "metadata": {"name": HOSTILE, "namespace": HOSTILE},
            "spec": {"nodeName": HOSTILE, "containers": [{"name": HOSTILE}]},
            "status": {"phase": "Failed", "reason": HOSTILE, "message": HOSTILE},
        }
    ),
    "rules": json.dumps({"errorCategories": [{"name": HOSTILE, "rules": [{"onConditions": [HOSTILE]}]}]}),
    "policy": json.dumps(
        {
            "apiVersion": "armadaproject.io/v1",
            "kind": "RetryPolicy",
            "metadata": {"name": HOSTILE},
            "spec": {"rules": [{"name": HOSTILE, "action": HOSTILE, "onCategory": HOSTILE}]},
        }
    ),
    "queue": json.dumps(
        {"apiVersion": "armadaproject.io/v1", "kind": "Queue", "metadata": {"name": "q", "labels": {"a": HOSTILE}}}
    ),
}


def reading_files() -> Iterator[list[str]]:
    """Every command and option that takes a file, up to the file."""
    for command, parser in COMMANDS.items():
        for param in parser.params:
            if param.metavar == "FILE" or param.opts[-1] in ("--kubeconfig", "--settings", "--rules", "-f"):
                yield [*command.split(), *([] if param.param_type_name == "argument" else [param.opts[-1]])]


@pytest.mark.parametrize("content", FILES)
def test_of_files_and_their_names(content: str, tmp_path: Path) -> None:
    (tmp_path / HOSTILE).write_text(FILES[content], encoding="utf-8")
    given = HOSTILE if content == "yaml" else "plain"
    (tmp_path / "plain").write_text(FILES[content], encoding="utf-8")
    for words in reading_files():
        assert_visible(called([*words, given], Run(), tmp_path), of=(words, given))
    for words in (["context", "list"], ["get", "queues"]):
        assert_visible(called(words, Run(env={"FAILCTL_CONFIG": given}), tmp_path), of=words)


ASKING_A_SERVER: Final = (
    ["get", "queues"],
    ["get", "jobs"],
    ["get", "retrypolicy", "a", "-o", "yaml"],
    ["describe", "queue", "a"],
    ["explain", "a"],
    ["delete", "queue", "a"],
    ["history", "queue", "a"],
    ["policy", "effective", "--queue", "a"],
)


CODES: Final = [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK]


@pytest.mark.parametrize("code", CODES)
def test_of_a_scheduler(code: grpc.StatusCode, tmp_path: Path) -> None:
    asking = ASKING_A_SERVER if code is grpc.StatusCode.INTERNAL else ASKING_A_SERVER[:2]
    with refusing(code) as address:
        for words in asking:
            assert_visible(called([*words, "--server", address], Run(), tmp_path), of=words)


@contextmanager
def refusing(code: grpc.StatusCode) -> Iterator[str]:
    """A server that ends every call so, with hostile details."""

    class Refusal(grpc.GenericRpcHandler):
        def service(self, handler_call_details: object) -> grpc.RpcMethodHandler:  # type: ignore[type-arg]  # of anything
            del handler_call_details
            return grpc.unary_unary_rpc_method_handler(lambda _, context: context.abort(code, HOSTILE))

    server = grpc.server(ThreadPoolExecutor(max_workers=2), handlers=[Refusal()])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


STATUS: Final = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": HOSTILE, "message": HOSTILE}
BODIES: Final[Mapping[str, bytes]] = {
    "status": json.dumps(STATUS).encode(),
    "text": HOSTILE.encode(),
    "pod": FILES["pod"].encode(),
    "list": json.dumps({"kind": HOSTILE, "items": [json.loads(FILES["pod"])], "metadata": {}}).encode(),
}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        *((body, 200) for body in BODIES),
        *(("status", code) for code in (400, 401, 403, 404, 409, 422, 500)),
        ("text", 500),
    ],
)
def test_of_an_api_server(body: str, status: int, tmp_path: Path) -> None:
    with answering(BODIES[body], status=status, reason="x\x1b[31m") as url:
        for words in (["classify", "pod", "a"], ["finalizers", "list"], ["finalizers", "release", "a/b", "--yes"]):
            assert_visible(called([*words, "--url", url], Run(), tmp_path), of=(words, status))
