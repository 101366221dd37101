import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from agent.telemetry import logs


@pytest.fixture(autouse=True)
def _root_restored() -> Iterator[None]:
    root = logging.getLogger()
    before, level, configured = list(root.handlers), root.level, structlog.get_config()
    yield
    logging.getLogger("alembic").setLevel(logging.NOTSET)
    root.handlers[:] = before
    root.setLevel(level)
    structlog.configure(**configured)


def _logged(form: str, event: str, **fields: object) -> str:
    out = io.StringIO()
    logs.configure("info", form, stream=out)
    structlog.get_logger("test").info(event, **fields)
    return out.getvalue()


def test_json_lines_carry_event_level_logger_time_and_fields() -> None:
    line = json.loads(_logged("json", "spooled", rows=3))

    assert line["event"] == "spooled"
    assert line["level"] == "info"
    assert line["logger"] == "test"
    assert line["rows"] == 3
    assert line["timestamp"].endswith("Z")


def test_the_standard_library_logs_into_the_same_lines() -> None:
    out = io.StringIO()
    logs.configure("warning", "json", stream=out)

    logging.getLogger("library").info("quiet")
    logging.getLogger("library").warning("busy %s", "now", extra={"password": "hunter2"})

    (line,) = out.getvalue().splitlines()
    assert json.loads(line)["event"] == "busy now"
    assert "hunter2" not in line


def test_a_library_that_reports_every_transaction_logs_only_its_warnings() -> None:
    out = io.StringIO()
    logs.configure("info", "json", stream=out)

    logging.getLogger("alembic.runtime.migration").info("Will assume transactional DDL.")
    logging.getLogger("alembic.runtime.migration").warning("damaged")

    (line,) = out.getvalue().splitlines()
    assert json.loads(line)["event"] == "damaged"


def test_configuring_again_replaces_the_handler() -> None:
    first = _logged("json", "one")
    second = _logged("console", "two")

    assert "one" in first
    assert second.count("two") == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"password": "s3cr3tvalue"},
        {"db_password": "s3cr3tvalue"},
        {"auth_token": "s3cr3tvalue"},
        {"headers": {"Authorization": "s3cr3tvalue"}},
        {"url": "postgresql://user:s3cr3tvalue@db/agent"},
        {"urls": ["https://user:s3cr3tvalue@host/"]},
        {"header": "Bearer s3cr3tvalue"},
        {"error": ValueError("login failed: password=s3cr3tvalue rejected")},
    ],
)
@pytest.mark.parametrize("form", ["json", "console"])
def test_secrets_are_hidden(form: str, fields: dict[str, object]) -> None:
    line = _logged(form, "connecting", **fields)

    assert "s3cr3tvalue" not in line
    assert "[hidden]" in line


def test_secrets_in_a_traceback_are_hidden() -> None:
    out = io.StringIO()
    logs.configure("info", "json", stream=out)
    try:
        int("postgresql://user:s3cr3tvalue@db/agent")
    except ValueError:
        structlog.get_logger().exception("failed")

    line = json.loads(out.getvalue())
    assert "s3cr3tvalue" not in out.getvalue()
    assert "Traceback" in line["exception"]


@given(text=st.text(), form=st.sampled_from(["json", "console"]))
def test_no_control_character_reaches_the_terminal(text: str, form: str) -> None:
    line = _logged(form, "pod said " + text, message=text, nested={"deep": [text]})

    assert logs.escape(line.removesuffix("\n")) == line.removesuffix("\n")


def test_faults_are_lines_of_their_own_on_the_console_and_one_field_in_json() -> None:
    faults = "cluster.yaml:1:10: cluster: not a name\nrules.yaml:4:7: \x1b[31mred"

    first, *others = _logged("console", "refused", faults=faults, what="rules").splitlines()
    assert first.endswith("refused                        [test] what=rules")
    assert others == ["    cluster.yaml:1:10: cluster: not a name", "    rules.yaml:4:7: \\x1b[31mred"]

    (line,) = _logged("json", "refused", faults=faults).splitlines()
    assert json.loads(line)["faults"] == faults.replace("\x1b", "\\x1b")


@pytest.mark.parametrize("form", ["console", "json"])
def test_secrets_in_faults_are_hidden(form: str) -> None:
    assert "s3cr3tvalue" not in _logged(form, "refused", faults="a: 1\nb: password=s3cr3tvalue")


def test_an_escape_sequence_stays_readable() -> None:
    assert logs.escape("\x1b[31mred\n") == "\\x1b[31mred\\n"


@pytest.mark.parametrize(("level", "form"), [("loud", "json"), ("info", "xml")])
def test_an_unknown_level_or_form_is_refused(level: str, form: str) -> None:
    with pytest.raises(ValueError, match=r"loud|xml"):
        logs.configure(level, form)
