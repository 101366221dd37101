from datetime import timedelta
from itertools import permutations

from agent.core.run_event import RuleSetLoaded
from agent.store import rule_sets
from agent.store.store import Store
from tests.store.events import START


def loaded(cluster: str, *categories: str, after: int = 0) -> RuleSetLoaded:
    return RuleSetLoaded(
        event_id=f"{cluster}/{after}",
        cluster_id=f"uid-{cluster}",
        cluster=cluster,
        revision=f"r{after}",
        categories=categories,
        loaded_at=START + timedelta(seconds=after),
    )


def test_the_latest_of_each_cluster_is_kept_in_whatever_order_they_come(store: Store) -> None:
    reports = [loaded("east", "a"), loaded("east", "b", "c", after=2), loaded("west", "a", after=1)]
    for number, order in enumerate(permutations(reports)):
        for one in order[:number]:
            with store.write() as connection:
                rule_sets.record(connection, [one])
        with store.write() as connection:
            rule_sets.record(connection, order)
        with store.read() as connection:
            assert rule_sets.categories(connection) == {"east": {"b", "c"}, "west": {"a"}}
