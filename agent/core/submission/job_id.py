"""Ids of jobs: ULIDs in lower case, as Armada's, so that the later job has the larger id."""

from datetime import datetime
from typing import Final

ENTROPY: Final = 10
"""Random bytes of an id."""

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH: Final = 26


def job_id(at: datetime, entropy: bytes) -> str:
    """The id of a job that is submitted at this time; ``entropy``: ten random bytes."""
    number = (int(at.timestamp() * 1000) << 8 * ENTROPY) | int.from_bytes(entropy)
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in reversed(range(_LENGTH)))
