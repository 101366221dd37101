import io
import json
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agent.broker.connect import connect
from agent.broker.port import TopicTaken
from agent.broker.topics import JOB_EVENTS, commands_topic, dead_letter_topic, heartbeat_topic, replay_topic
from agent.console.exits import Exit, NotFoundError, UsageError
from agent.ctl.broker.check import BrokerCheckRequest, ReleaseRequest, _of_lookout, _of_scheduler, release, run_check
from agent.ctl.broker.connect import BrokerAddress
from tests.child import run
from tests.lookout.process import write_settings
from tests.scheduler.path import Place
from tests.servers.pulsar_namespace import PulsarNamespace

TOPIC = "run-events-east"


@pytest.fixture
def log(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/log.db"
    connect(url).close()
    return url


@pytest.fixture
def scheduler(tmp_path: Path) -> Path:
    file = tmp_path / "scheduler.yaml"
    file.write_text(
        f'broker: {{url: "sqlite:///{tmp_path}/log.db"}}\nstore: {{url: "sqlite:///{tmp_path}/store.db"}}\n'
    )
    return file


def checked(request: BrokerCheckRequest) -> tuple[Exit, str]:
    out = io.StringIO()
    return run_check(request, environ={}, out=out), out.getvalue()


def test_an_event_log_that_opens_is_fine(log: str, scheduler: Path) -> None:
    assert checked(BrokerCheckRequest(scheduler=scheduler)) == (Exit.FINE, f"address  fine     {log}\n")


def test_an_event_log_that_is_not_there_is_wrong_and_not_made(scheduler: Path, tmp_path: Path) -> None:
    code, told = checked(BrokerCheckRequest(scheduler=scheduler, output="json"))

    assert code is Exit.FINDING
    (finding,) = json.loads(told)
    assert (finding["step"], finding["state"]) == ("address", "wrong")
    assert finding["words"] == f"there is no event log at {tmp_path}/log.db"
    assert finding["fix"] == "correct broker.url, or start the process, which creates the file"
    assert not (tmp_path / "log.db").exists()


def test_an_event_log_that_does_not_open_is_wrong_and_says_why(scheduler: Path, tmp_path: Path) -> None:
    (tmp_path / "log.db").write_text("these are not the pages of a database " * 100)

    code, told = checked(BrokerCheckRequest(scheduler=scheduler, output="json"))

    assert code is Exit.FINDING
    (finding,) = json.loads(told)
    assert (finding["step"], finding["state"]) == ("address", "wrong")
    assert "not an event log" in finding["words"]
    assert "broker.url" in finding["fix"]


@pytest.mark.slow
def test_a_pulsar_that_does_not_answer_is_reported_with_the_fix(scheduler: Path) -> None:
    code, told = checked(BrokerCheckRequest(scheduler=scheduler, url="pulsar://127.0.0.1:1/armada/failures"))

    assert code is Exit.FINDING
    assert told.splitlines()[0].split(maxsplit=2)[:2] == ["address", "wrong"]
    assert "to fix it: correct the port in broker.url" in told


@pytest.mark.parametrize(
    "url", ["kafka://broker", "pulsar://me:s3cr3t@broker", "pulsar://broker/only-tenant", "pulsar://"]
)
def test_an_address_without_a_broker_is_wrong_usage(scheduler: Path, url: str) -> None:
    with pytest.raises(UsageError) as refused:
        checked(BrokerCheckRequest(scheduler=scheduler, url=url))
    assert "s3cr3t" not in str(refused.value)


def test_the_process_of_the_settings_must_be_given(scheduler: Path) -> None:
    for request in (
        BrokerCheckRequest(),
        BrokerCheckRequest(scheduler=scheduler, cluster=scheduler),
        BrokerCheckRequest(scheduler=scheduler, lookout=scheduler),
    ):
        with pytest.raises(UsageError, match="--cluster FILE, --scheduler FILE or --lookout FILE"):
            checked(request)


def test_a_topic_is_released(log: str) -> None:
    broker = connect(log)
    broker.claim(TOPIC, owner="gone")
    with pytest.raises(TopicTaken):
        broker.claim(TOPIC, owner="new")

    out = io.StringIO()
    request = ReleaseRequest(topic=TOPIC, where=BrokerAddress(url=log), yes=True)
    assert release(request, environ={}, out=out) is Exit.FINE
    with pytest.raises(NotFoundError, match="run-events-east has no owner, so there is nothing to release"):
        release(request, environ={}, out=out)

    broker.claim(TOPIC, owner="new")
    broker.close()
    assert out.getvalue() == "run-events-east is released: the next cluster of that name becomes its owner\n"


def test_a_dry_run_releases_nothing(log: str) -> None:
    broker = connect(log)
    broker.ensure_subscription(TOPIC, "scheduler")
    broker.claim(TOPIC, owner="gone")

    out = io.StringIO()
    request = ReleaseRequest(topic=TOPIC, where=BrokerAddress(url=log))
    assert release(request, environ={}, out=out) is Exit.FINE
    with pytest.raises(NotFoundError, match="there is no topic run-events-west"):
        release(replace(request, topic="run-events-west"), environ={}, out=out)

    with pytest.raises(TopicTaken):
        broker.claim(TOPIC, owner="new")
    broker.close()
    assert out.getvalue() == "would release run-events-east\n"


def test_the_scheduler_publishes_commands_and_job_events(log: str) -> None:
    with closing(connect(log)) as broker:
        for topic in (JOB_EVENTS, dead_letter_topic(JOB_EVENTS, "follower"), commands_topic("east")):
            broker.ensure_subscription(topic, "follower")

        published = {need.topic for need in _of_scheduler(broker) if need.publishes}

    assert published == {JOB_EVENTS, commands_topic("east")}


def test_a_lookout_consumes_what_clusters_and_schedulers_say_and_publishes_dead_letters(log: str) -> None:
    others = [*(dead_letter_topic(TOPIC, name) for name in ("scheduler", "lookout")), replay_topic(TOPIC, "scheduler")]
    with closing(connect(log)) as broker:
        for topic in (TOPIC, heartbeat_topic("east"), commands_topic("east"), replay_topic(TOPIC, "lookout"), *others):
            broker.ensure_subscription(topic, "follower")

        needs = _of_lookout(broker)

    consumed = {JOB_EVENTS, TOPIC, heartbeat_topic("east"), replay_topic(TOPIC, "lookout")}
    assert {need.topic for need in needs if need.subscriptions == ("lookout",) and not need.publishes} == consumed
    assert {need.topic for need in needs if need.publishes} == {
        dead_letter_topic(topic, "lookout") for topic in (JOB_EVENTS, TOPIC, heartbeat_topic("east"))
    }


def test_the_broker_of_a_lookout_is_checked_by_its_settings(log: str, tmp_path: Path) -> None:
    settings = write_settings(tmp_path, Place(broker_url=log, store_url=f"sqlite:///{tmp_path}/lookout.db"))

    assert checked(BrokerCheckRequest(lookout=settings)) == (Exit.FINE, f"address  fine     {log}\n")


@pytest.mark.slow
@pytest.mark.xdist_group("pulsar")
def test_on_pulsar_a_lookout_may_do_what_it_needs(pulsar_namespace: PulsarNamespace, tmp_path: Path) -> None:
    url = f"{pulsar_namespace.broker.url}/{pulsar_namespace.name}"
    with closing(connect(url)) as broker:
        broker.ensure_subscription(TOPIC, "scheduler")
    settings = write_settings(tmp_path, Place(broker_url=url, store_url=f"sqlite:///{tmp_path}/lookout.db"))

    _, told = checked(BrokerCheckRequest(lookout=settings))

    for line in (f"{TOPIC}: may consume as lookout", f"{JOB_EVENTS}: may consume as lookout"):
        assert f"permission  fine     {line}\n" in told
    assert f"{dead_letter_topic(TOPIC, 'lookout')}: may consume as failctl, publish" in told


@pytest.mark.slow
def test_it_is_a_command(scheduler: Path, log: str) -> None:
    command = [sys.executable, "-m", "agent.ctl.main", "broker", "check", "--scheduler", str(scheduler)]
    ended = run(command)

    assert (ended.returncode, ended.stdout) == (0, f"address  fine     {log}\n")
