"""Answers of the scheduler that a Lookout forwards, as the messages that the scheduler's API has."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message

from agent.console.exits import UsageError
from agent.console.terminal import visible
from agent.ctl.lookout_api import Items, LookoutClient
from agent.json_reader.reader import Reader
from agent.wire.error import WireError

Answer = TypeVar("Answer", bound=Message)

_ANY: Final = Reader(dict[str, Any])


def ask(client: LookoutClient, path: str, answer: Answer, items: Items = ()) -> Answer:
    """Fill a message with what the scheduler answers. Raises the errors of ``failctl``, and WireError."""
    return filled(answer, client.get(f"scheduler/{path}", items, _ANY))


def filled(message: Answer, values: dict[str, Any]) -> Answer:
    """The message with the values of a Lookout's JSON. Raises WireError if they are of another message."""
    try:
        return ParseDict(values, message, ignore_unknown_fields=True)
    except ParseError as error:
        raise WireError(str(error)) from error


@contextmanager
def reading() -> Iterator[None]:
    """Turn what cannot be read inside the block into an error of ``failctl``."""
    try:
        yield
    except WireError as error:
        message = f"what the Lookout answers cannot be read: {visible(str(error))}; use its failctl"
        raise UsageError(message) from error
