"""Sample failures with many reasons, each with the end of a log of some 4 KiB, as agents keep them by default."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from msgspec.structs import replace

from agent.core.classify.grade import BLAMED
from agent.core.classify.rules import Order
from agent.core.evidence import LogTail
from agent.core.failure import Classification, Detail, DetailKey, Failure, Grade, Origin
from bench.sample.logs import log_rules, tails

_CATEGORIES, _CLAIMS = 30, 300
_ORIGINS: Final = (Origin.USER, Origin.USER, Origin.USER, Origin.INFRA, Origin.INFRA, Origin.PLATFORM, Origin.UNKNOWN)
_GRADES: Final = (Grade.PROVEN, Grade.PROVEN, Grade.LIKELY, Grade.LIKELY, Grade.UNKNOWN, None)
_EXIT_CODES: Final = (1, 1, 1, 1, 2, 127, 134, 137, 137, 137, 139, 143)
_SUBCATEGORIES: Final = ("", "limit", "node")
_RESOURCES: Final = ("cpu", "memory", "nvidia.com/gpu")
_LOG_SHAPE: Final = "4 KiB, tracebacks"


def varied(number: int, failures: Sequence[Failure], *, seed: int) -> Iterator[Failure]:
    """This many failures with the documents of ``failures``, in turns; of reasons some are common and some rare."""
    random = Random(seed)
    rules = log_rules(100, order=Order.EVIDENCE, seed=seed)
    logs = [evidence.log_tails[0].text for evidence in tails(_LOG_SHAPE, rules=rules, number=200, seed=seed)]
    for index in range(number):
        yield replace(
            failures[index % len(failures)],
            classification=_classification(random, failures[index % len(failures)].classification),
            exit_code=random.choice(_EXIT_CODES),
            fingerprint=f"v1:{index:016x}",
            log_tails=(LogTail(container="main", text=random.choice(logs)),),
        )


def _classification(random: Random, given: Classification) -> Classification:
    number = min(int(random.expovariate(0.2)), _CATEGORIES - 1)
    category = f"category-{number}"
    also = (f"category-{(number * 7 + 1) % _CATEGORIES}",) if random.random() < 0.3 else ()
    values = {DetailKey.RESOURCE: random.choice(_RESOURCES), DetailKey.CLAIM: f"claim-{random.randrange(_CLAIMS)}"}
    has_detail = random.random() < 0.5
    subcategory, origin = random.choice(_SUBCATEGORIES), random.choice(_ORIGINS)
    return replace(
        given,
        category=category,
        categories=(category, *also),
        subcategory=subcategory,
        origin=origin,
        corroborated=number % 3 > 0 if origin in BLAMED else None,
        grade=random.choice(_GRADES),
        detail=tuple(Detail(key=key, value=value) for key, value in values.items()) if has_detail else (),
    )
