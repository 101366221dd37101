"""Rules are tried over HTTP: what is no rule file is refused with its places, and nothing on this machine is read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.lookout.api import trials
from agent.lookout.store.recording import record
from tests.lookout.api.serving import Client, empty_store, served
from tests.lookout.query.test_trial import RULES
from tests.store.events import event, failed

PATH = "/api/v1/rules/trial"
FOUND_SLOWLY = """
    CREATE VIEW job_run AS SELECT * FROM job_run_found_slowly WHERE (
        WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 1e12)
        SELECT max(number) FROM numbers
    ) > 0
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with empty_store(tmp_path_factory.mktemp("lookout")) as store:
        with store.write() as connection:
            record(connection, [event("e0", failed())])
        with served(store) as found:
            yield found


def test_rules_are_tried(client: Client) -> None:
    answer = client.post(PATH, {"text": RULES, "filter": {"queue": ["ml", "other"]}, "most": 5})

    assert answer.status == 200
    assert [answer.json[name] for name in ("tried", "changed", "stopped")] == [1, 1, None]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (RULES.replace("onExitCodes", "onExitCode"), "unknown-field", 5),
        ("errorCategories: [", None, 1),
        ("", None, 1),
        (f"packs: [{Path(__file__)}]\n{RULES}", None, 1),
        (f"packs: [../../../../../../etc/hostname]\n{RULES}", None, 1),
    ],
)
def test_a_text_that_is_no_rule_file(client: Client, text: str, code: str | None, line: int) -> None:
    answer = client.post(PATH, {"text": text})

    assert (answer.status, answer.code) == (400, "invalid-rules")
    faults = answer.json["errors"]
    assert {fault["path"] for fault in faults} == {"text"}
    assert (code, line) in [(None if code is None else fault["code"], fault["line"]) for fault in faults]


def test_patterns_that_would_take_minutes_are_not_tried(client: Client) -> None:
    slow = "".join(f"  - subcategory: s{at}\n    onLogTail: {{pattern: 'a[ab ]{{0,900}}x{at}'}}\n" for at in range(100))
    answer = client.post(PATH, {"text": f"errorCategories:\n- name: slow\n  rules:\n{slow}"})

    assert (answer.status, answer.code) == (400, "invalid-rules")
    assert answer.json["detail"].startswith("the patterns are compiled to ")
    assert "150,000 can be tried at once" in answer.json["detail"]


@pytest.mark.slow
def test_rules_that_ship_and_as_many_more_are_tried(client: Client) -> None:
    own = "".join(
        f"  - subcategory: s{at}\n    onLogTail: {{pattern: 'no{at} [a-z]{{1,50}}'}}\n" for at in range(1_000)
    )
    text = f"order: evidence\npacks: [shipped]\nerrorCategories:\n- name: more\n  rules:\n{own}"

    assert client.post(PATH, {"text": text}).json["tried"] == 1


def test_files_of_this_machine_are_not_read(client: Client) -> None:
    answer = client.post(PATH, {"text": f"packs: [{Path(__file__)}]\n{RULES}"})

    assert "no files are read here" in answer.text
    assert "test_files_of_this_machine" not in answer.text


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"text": RULES, "filter": {"nod": ["a"]}}, "nod"),
        ({"text": RULES, "filter": {"exitCode.gte": ["x"]}}, "exitCode.gte"),
        ({"text": RULES, "filter": []}, "filter"),
        ({"text": RULES, "most": 0}, "most"),
        ({"rules": RULES}, "rules"),
    ],
)
def test_what_is_no_trial_is_refused(client: Client, body: object, name: str) -> None:
    answer = client.post(PATH, body)

    assert (answer.status, answer.code) == (400, "invalid-request")
    assert name in [fault.get("parameter") or fault.get("path") for fault in answer.json["errors"]]


def test_the_database_has_no_more_time_than_the_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "SECONDS", 0.2)
    with empty_store(tmp_path) as store, served(store) as client:
        with store.write() as connection:
            record(connection, [event("e0", failed())])
            connection.exec_driver_sql("ALTER TABLE job_run RENAME TO job_run_found_slowly")
            connection.exec_driver_sql(FOUND_SLOWLY)
        answer = client.post(PATH, {"text": RULES})

    assert (answer.status, answer.code) == (503, "too-slow")
    assert "took more than 0.5 s" in answer.json["detail"]


def test_one_trial_at_a_time(client: Client) -> None:
    with trials._ONE_AT_A_TIME:
        answer = client.post(PATH, {"text": RULES})

    assert (answer.status, answer.code, answer.headers["retry-after"]) == (429, "trial-in-progress", "5")
