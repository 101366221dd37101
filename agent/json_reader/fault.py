"""Offset and message of a fault in JSON, from the errors of msgspec and of Python."""

import re
from typing import Final

import msgspec

_MALFORMED: Final = re.compile(r"(?:JSON is malformed: )?(?P<message>.*?)(?: \(byte (?P<byte>\d+)\))?(?: - at `.*`)?")
_TRUNCATED: Final = "Input data was truncated"


def fault_in(text: bytes, error: UnicodeDecodeError | msgspec.DecodeError) -> tuple[int, str]:
    """Return offset and message of an error that ``read_value`` raised; the offset is 0 if msgspec gives none."""
    if isinstance(error, UnicodeDecodeError):
        # msgspec counts from the beginning of the text that it decodes; what matters is where it stands.
        whole = _not_utf_8(text) or error
        return whole.start, f"this is not UTF-8: {whole.reason} (0x{whole.object[whole.start]:02x})"
    if str(error) == _TRUNCATED:
        return len(text), "it breaks off here"
    found = _MALFORMED.fullmatch(str(error))
    if found is None:
        return 0, str(error)
    message = found["message"]
    return int(found["byte"] or 0), message[:1].lower() + message[1:]


def _not_utf_8(text: bytes) -> UnicodeDecodeError | None:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error
    return None
