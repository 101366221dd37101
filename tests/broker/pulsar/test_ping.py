from threading import Event

import pytest

from agent.broker.port import BrokerError, Unreachable
from agent.broker.pulsar.ping import Ping


def test_an_answer_is_an_answer() -> None:
    ping = Ping("there", ask=lambda: 1, explain=lambda: "not asked for")
    ping.ping()
    ping.close()


def test_an_error_is_said_with_its_reason() -> None:
    def ask() -> object:
        raise BrokerError("Timeout")

    ping = Ping("there", ask=ask, explain=lambda: "the token has expired")
    with pytest.raises(Unreachable, match=r"^there: Timeout; the token has expired$"):
        ping.ping()
    ping.close()


def test_who_does_not_answer_is_asked_once_at_a_time_and_heard_when_he_does() -> None:
    may, asked = Event(), []

    def ask() -> object:
        asked.append(1)
        return may.wait(60)

    ping = Ping("there", ask=ask, explain=lambda: None, patience=0.3)
    for _ in range(2):
        with pytest.raises(Unreachable, match=r"^there: no answer within 0.3 s$"):
            ping.ping()
    assert len(asked) == 1
    may.set()
    ping.ping()
    ping.close()
