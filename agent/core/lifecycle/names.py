"""The names of pods, as Armada has them."""

from typing import Final

DEFAULT_PREFIX: Final = "armada-"


def pod_name(job_id: str, index: int, *, prefix: str = DEFAULT_PREFIX) -> str:
    """The name of the pod of this run: ``armada-ID-0`` for the first, ``armada-ID-0-INDEX`` for later ones."""
    first = f"{prefix}{job_id}-0"
    return first if index == 0 else f"{first}-{index}"
