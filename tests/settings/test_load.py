from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agent.core.summary.bounds import WIDEST, cut_start
from agent.settings.cluster import ClusterSettings, Release
from agent.settings.fault import ConfigError
from agent.settings.load import load
from agent.settings.scheduler import SchedulerSettings
from tests.tables import table

BAD = table(Path(__file__).parent / "bad_files.yaml")

GOOD = """
cluster: east
categories: rules.yaml
broker: {url: "sqlite:///log"}
spool: {path: spool.db}
"""


@pytest.fixture(name="file")
def settings_file(tmp_path: Path) -> Path:
    file = tmp_path / "settings.yaml"
    file.write_text(GOOD, encoding="utf-8")
    return file


def faults_of(file: Path | None, environ: dict[str, str], overrides: dict[str, str | None]) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(ClusterSettings, file, environ, overrides)
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize("row", BAD, ids=[row["name"] for row in BAD])
def test_all_faults_of_a_bad_file_are_reported(
    row: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("settings.yaml")
    file.write_bytes(bytes(row["bytes"]) if "bytes" in row else row["text"].encode())

    assert faults_of(file, {}, {}) == row["faults"]


def test_a_good_file_gives_values_and_defaults(file: Path) -> None:
    settings = load(ClusterSettings, file, {})

    assert settings.cluster == "east"
    assert settings.spool.path == Path("spool.db")
    assert settings.release is Release.PUBLISHED
    assert settings.evidence_wait == timedelta(seconds=2)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert (
        "nowhere.yaml: the settings cannot be read: No such file or directory"
        in faults_of(tmp_path / "nowhere.yaml", {}, {})[0]
    )


def test_the_environment_overrides_the_file_and_the_command_line_overrides_both(file: Path) -> None:
    environ = {"FAILURE_AGENT_CLUSTER": "west", "FAILURE_AGENT_BROKER__URL": "sqlite:///other"}

    settings = load(ClusterSettings, file, environ, {"broker.url": "sqlite:///third", "kube.url": None})

    assert (settings.cluster, settings.broker.url, settings.kube.url) == ("west", "sqlite:///third", None)


def test_a_variable_is_read_by_the_type_of_its_setting(file: Path) -> None:
    environ = {
        "FAILURE_AGENT_CLUSTER": "123",
        "FAILURE_AGENT_KUBE__IN_CLUSTER": "true",
        "FAILURE_AGENT_EVIDENCE_WAIT": "500ms",
        "FAILURE_AGENT_HEALTH__PORT": "0",
        "FAILURE_AGENT_WATCH__NAMESPACES": "[a, b]",
        "FAILURE_AGENT_RELEASE": "spooled",
    }

    settings = load(ClusterSettings, file, environ)

    assert settings.cluster == "123"
    assert settings.kube.in_cluster is True
    assert settings.evidence_wait == timedelta(milliseconds=500)
    assert settings.health.port == 0
    assert settings.watch.namespaces == ("a", "b")
    assert settings.release is Release.SPOOLED


def test_a_fault_outside_the_file_names_its_source(file: Path) -> None:
    environ = {"FAILURE_AGENT_HELTH": "1", "FAILURE_AGENT_HEALTH__PORT": "many", "FAILURE_AGENT_BROKER": "{a: "}

    assert faults_of(file, environ, {"kube.context": "dev", "kube.url": "http://127.0.0.1:1"}) == [
        (
            "environment FAILURE_AGENT_BROKER: broker: cannot be set by a variable or option: "
            "check the value, or set it in the file"
        ),
        "environment FAILURE_AGENT_HELTH: no such setting; did you mean FAILURE_AGENT_HEALTH?",
        "command line: kube: context needs a kubeconfig; remove context, or url and inCluster",
        "environment FAILURE_AGENT_HEALTH__PORT: health.port: expected a whole number, found text",
    ]


@pytest.mark.parametrize(
    ("variable", "why"),
    [
        ("BROKER_URL", "no such setting; did you mean FAILURE_AGENT_BROKER__URL?"),
        ("KUBE__INCLUSTR", "no such setting; did you mean FAILURE_AGENT_KUBE__IN_CLUSTER?"),
        ("STORE_URL", "no such setting; did you mean FAILURE_AGENT_STORE__URL?"),
        ("XYZZY", "no such setting; two underscores stand for a dot: FAILURE_AGENT_BROKER__URL is broker.url"),
    ],
)
def test_a_misspelt_variable_gets_the_nearest_of_either_process(file: Path, variable: str, why: str) -> None:
    assert faults_of(file, {f"FAILURE_AGENT_{variable}": "1"}, {}) == [f"environment FAILURE_AGENT_{variable}: {why}"]


def test_a_setting_of_the_other_process_is_unknown_to_this_one(file: Path, tmp_path: Path) -> None:
    scheduler = tmp_path / "scheduler.yaml"
    scheduler.write_text("broker: {url: 'sqlite:///log'}\nstore: {url: 'sqlite:///s'}\n", encoding="utf-8")
    environ = {"FAILURE_AGENT_STORE__URL": "nonsense", "FAILURE_AGENT_DEADLINES__IMAGE": "nonsense"}
    of_scheduler, of_cluster = ({name: environ[name]} for name in environ)

    assert load(ClusterSettings, file, of_scheduler).cluster == "east"
    assert load(SchedulerSettings, scheduler, of_cluster).store.url == "sqlite:///s"
    with pytest.raises(ConfigError, match=r"FAILURE_AGENT_STORE__URL: store.url: not a URL"):
        load(SchedulerSettings, scheduler, environ)


def test_an_empty_variable_is_not_set(file: Path) -> None:
    settings = load(ClusterSettings, file, {"FAILURE_AGENT_CATEGORIES": "", "FAILURE_AGENT_NO_SUCH": ""})

    assert settings.categories == Path("rules.yaml")


@pytest.mark.parametrize(
    ("environ", "fault"),
    [
        ({"MODE": "daemonset"}, "environment FAILURE_AGENT_MODE: mode daemonset needs lease"),
        ({"KUBE__URL": "http://a"}, "environment FAILURE_AGENT_KUBE__URL: kube: give only one of"),
        ({"LEASE__DURATION": "8"}, "environment FAILURE_AGENT_LEASE__DURATION: lease.namespace: required"),
        ({"BROKER__PULSAR__KEY_FILE": "k"}, "environment FAILURE_AGENT_BROKER__PULSAR__KEY_FILE: broker.pulsar: "),
        (
            {"LEASE__NAMESPACE": "a", "LEASE__DURATION": "4", "LEASE__RENEW": "2s"},
            "environment FAILURE_AGENT_LEASE__RENEW and environment FAILURE_AGENT_LEASE__DURATION: lease: renew must",
        ),
    ],
)
def test_a_variable_that_conflicts_with_the_file_is_named(file: Path, environ: dict[str, str], fault: str) -> None:
    file.write_text(GOOD + "kube: {inCluster: true}\n", encoding="utf-8")
    (found,) = faults_of(file, {f"FAILURE_AGENT_{name}": text for name, text in environ.items()}, {})

    assert found.startswith(fault)


def test_without_a_file_the_faults_say_so() -> None:
    assert faults_of(None, {"FAILURE_AGENT_CLUSTER": "East", "FAILURE_AGENT_KUBE__CONTEXT": "dev"}, {}) == [
        "no settings file was given; `failure-agent init` writes one, then give it with --settings FILE",
        (
            "environment FAILURE_AGENT_CLUSTER: cluster: not a name for a cluster; write 1 to 63 of a-z, 0-9, - and ., "
            "first and last one of a-z and 0-9"
        ),
        "broker: required; add broker.url to the settings, or set FAILURE_AGENT_BROKER__URL",
        "spool: required; add spool.path to the settings, or set FAILURE_AGENT_SPOOL__PATH",
    ]


@pytest.mark.parametrize(
    ("text", "size"),
    [("10Gi", 10 << 30), ("512Mi", 512 << 20), ("1.5Gi", 3 << 29), ("2G", 2 * 10**9), (1 << 20, 1 << 20)],
)
def test_a_size_is_a_quantity_of_kubernetes(file: Path, text: str | int, size: int) -> None:
    file.write_text(GOOD.replace("spool.db", f"spool.db, maxBytes: {text}"), encoding="utf-8")

    assert load(ClusterSettings, file, {}).spool.max_bytes == size
    assert load(ClusterSettings, file, {"FAILURE_AGENT_SPOOL__MAX_BYTES": str(text)}).spool.max_bytes == size


def test_a_mapping_may_be_merged_into_another(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text(
        GOOD.replace("{path: spool.db}", "{<<: {path: spool.db, keepAcknowledged: 3}, keepAcknowledged: 4}")
    )

    spool = load(ClusterSettings, file, {}).spool

    assert (spool.path, spool.keep_acknowledged) == (Path("spool.db"), 4)


def test_an_ambiguous_variable_is_refused_with_the_reason(file: Path) -> None:
    assert faults_of(file, {"FAILURE_AGENT_HEALTH__PORT": "08081"}, {}) == [
        (
            "environment FAILURE_AGENT_HEALTH__PORT: health.port: cannot be set by a variable or option: "
            "08081 has a leading zero, which means different things in different versions of YAML; "
            'write 8081, or "08081" if it is text'
        )
    ]


def test_variables_of_a_service_with_our_name_are_ignored(file: Path) -> None:
    links = {
        "FAILURE_AGENT_SERVICE_HOST": "10.0.0.1",
        "FAILURE_AGENT_SERVICE_PORT_HTTP": "8081",
        "FAILURE_AGENT_PORT": "tcp://10.0.0.1:8081",
        "FAILURE_AGENT_PORT_8081_TCP_ADDR": "10.0.0.1",
        "FAILURE_AGENT_LOOKOUT_SERVICE_PORT": "80",
    }

    assert load(ClusterSettings, file, links).cluster == "east"


def test_settings_do_not_change(file: Path) -> None:
    settings = load(ClusterSettings, file, {})

    with pytest.raises(ValueError, match="frozen"):
        settings.cluster = "west"


def test_a_failure_keeps_every_byte_of_a_log_that_rules_may_search(file: Path) -> None:
    most = load(ClusterSettings, file, {}).log_tails.max_bytes
    tail = "x" * most

    assert cut_start(tail, WIDEST.log_tail) == tail
    (fault,) = faults_of(file, {"FAILURE_AGENT_LOG_TAILS__MAX_BYTES": str(most + 1)}, {})
    assert fault.endswith("logTails.maxBytes: must be at most 8Ki")
