"""One round of chaos on real servers: pods fail while everything they are told through is killed again and again."""

from collections.abc import Callable, Iterator, Sequence

from tests.chaos.whole.outcome import Outcome
from tests.chaos.whole.plan import Plan
from tests.chaos.whole.stage import Site, Stage


def run(plan: Plan, site: Site, *, say: Callable[[str], object]) -> Outcome:
    """Play it. Call from the main thread. Raises TimeoutError where it does not come to rest."""
    with Stage(site, plan) as stage:
        stage.pods.create()
        blows, decided = plan.blows(), 0
        for blow, some in zip(blows, _shares(plan.names(), len(blows)), strict=True):
            with stage.pods.failing(some):
                say(stage.strike(blow, decided=decided))
            decided = stage.decided()
        return stage.settle()


def _shares(names: Sequence[str], number: int) -> Iterator[Sequence[str]]:
    return (names[index::number] for index in range(number))
