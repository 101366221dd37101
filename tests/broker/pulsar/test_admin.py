"""What the admin API answers is believed only as far as it can be read."""

import pytest

from agent.bounds import MAX_BYTES
from agent.broker.port import BrokerError
from agent.broker.pulsar.admin import configured
from agent.settings.pulsar import PulsarSettings
from tests.answering import answering


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff", b"[" * 100_000, b" " * (MAX_BYTES + 1)])
def test_an_answer_that_cannot_be_read_is_an_error_of_the_broker(body: bytes) -> None:
    with answering(body) as url, pytest.raises(BrokerError, match="cannot be read"):
        configured(url, PulsarSettings(), namespace="public/default")
