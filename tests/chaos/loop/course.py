"""One round of chaos: jobs are submitted while all they depend on is killed again and again."""

from collections.abc import Callable

from tests.chaos.loop.outcome import Outcome
from tests.chaos.loop.plan import Plan
from tests.chaos.loop.stage import Stage
from tests.chaos.whole.stage import Site


def run(plan: Plan, site: Site, *, say: Callable[[str], object]) -> Outcome:
    """Play it, as far as it goes. Call from the main thread."""
    with Stage(site, plan) as stage:
        blows = plan.blows()
        try:
            for blow, jobs in zip(blows, plan.shares(len(blows)), strict=True):
                stage.person.submit(jobs)
                say(stage.strike(blow))
        except TimeoutError as stuck:
            say(str(stuck))
        return stage.settle()
