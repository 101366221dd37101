"""Who asks, as the request says: nobody checks it while the API listens on loopback only."""

from typing import Final
from urllib.parse import unquote

from starlette.datastructures import Headers

WHO: Final = "failure-agent-user"
"""The header, and the metadata of gRPC that the scheduler reads: a name, percent-encoded where it is not ASCII."""

PASSED_ON: Final = (WHO, "authorization")
"""The headers that say who asks; the scheduler gets them as they are."""

_LONGEST: Final = 256


def name_of(headers: Headers) -> str:
    """The name of the caller, printable and bounded; ``unknown`` if there is none."""
    text = unquote(headers.get(WHO, ""), errors="replace")
    return "".join(character for character in text if character.isprintable())[:_LONGEST] or "unknown"
