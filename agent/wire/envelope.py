"""What events and commands must have: ids, times, and a content that this version knows."""

from collections.abc import Sequence
from datetime import datetime

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from agent.wire.error import TooNew, WireError
from agent.wire.time import read_time


def require(message: Message, names: Sequence[str]) -> None:
    """Raise WireError unless the message has these fields."""
    missing = [name for name in names if not getattr(message, name)]
    if missing:
        raise WireError(f"{', '.join(missing)} missing")


def read_required_time(message: Message, name: str) -> datetime:
    """The time in this field. Raises WireError if there is none."""
    if not message.HasField(name):
        raise WireError(f"{name} missing")
    return read_time(getattr(message, name))


def refuse_newer(message: Message, oneof: str, *, always: Sequence[str]) -> None:
    """Raise TooNew if the message has none of the contents that we know, but a field that we do not know.

    A message without the fields that it must ``always`` have is none of a later version's: WireError.
    """
    if message.WhichOneof(oneof) is not None:
        return
    unknown = UnknownFieldSet(message)
    numbers = sorted({unknown[place].field_number for place in range(len(unknown))})
    if numbers:
        require(message, always)
        fields = ", ".join(map(str, numbers[:5]))
        raise TooNew(f"{message.DESCRIPTOR.name} with {oneof} {fields}, which only a later version knows")
