"""The client library's errors, translated to the port's."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import pulsar
from pulsar import exceptions

from agent.broker.port import BrokerError, Busy, Fenced, MessageTooLarge, Unreachable


class Forbidden(BrokerError):
    """Our role lacks a permission. Trying again helps after an operator of Pulsar has granted it."""


_WORDS: Final[Mapping[type[Exception], tuple[type[BrokerError], str]]] = {
    exceptions.ProducerFenced: (Fenced, "another producer took over the topic"),
    exceptions.ProducerBusy: (Busy, "another producer holds the topic, or has this producer's name"),
    exceptions.ConsumerBusy: (Busy, "another consumer has the subscription, or consumes it in another way"),
    exceptions.AuthorizationError: (Forbidden, "our role lacks a permission; see the permissions in docs/pulsar.md"),
    exceptions.MessageTooBig: (MessageTooLarge, "the message is larger than Pulsar accepts"),
    exceptions.AlreadyClosed: (Unreachable, "it is closed"),
    exceptions.ProducerBlockedQuotaExceededError: (BrokerError, "the backlog quota is used up: consumers lag behind"),
    exceptions.ProducerBlockedQuotaExceededException: (
        BrokerError,
        "the backlog quota is used up: consumers lag behind",
    ),
    exceptions.TopicNotFound: (
        BrokerError,
        "the topic does not exist and is not created automatically: see docs/pulsar.md",
    ),
    exceptions.TopicTerminated: (BrokerError, "an operator has terminated the topic"),
}
_NO_ANSWER: Final = (
    exceptions.Timeout,
    exceptions.ConnectError,
    exceptions.ReadError,
    exceptions.LookupError,
    exceptions.NotConnected,
    exceptions.AuthenticationError,
    exceptions.ServiceUnitNotReady,
    exceptions.BrokerMetadataError,
    exceptions.BrokerPersistenceError,
    exceptions.TooManyLookupRequestException,
    exceptions.UnknownError,
)


@contextmanager
def translated(doing: str, *, explain: Callable[[], str | None] = lambda: None) -> Iterator[None]:
    """Raise the port's errors for the library's. ``explain`` is called where the library gives no reason."""
    try:
        yield
    except exceptions.PulsarException as error:
        raise _meaning(doing, error, explain) from error


def outcome_error(doing: str, result: pulsar.Result) -> BrokerError:
    """The error that a failed send ended with."""
    kind: type[Exception] = getattr(exceptions, result.name, exceptions.UnknownError)
    return _meaning(doing, kind(f"Pulsar error: {result.name}"), lambda: None)


def _meaning(doing: str, error: Exception, explain: Callable[[], str | None]) -> BrokerError:
    if (known := _WORDS.get(type(error))) is not None:
        kind, words = known
        return kind(f"{doing}: {words}")
    what = f"{doing}: {str(error).removeprefix('Pulsar error: ') or type(error).__name__}"
    if not isinstance(error, _NO_ANSWER):
        return BrokerError(what)
    return Unreachable(f"{what}; {why}" if (why := explain()) else what)
