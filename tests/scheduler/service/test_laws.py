"""Resources beside a dictionary: whatever is asked in whatever order, both have the same."""

import tempfile
from pathlib import Path
from threading import Barrier, Thread

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from agent.manifests.resource.kind import Kind
from agent.scheduler.service.plan import Intent, Refused, Why
from agent.store.store import Store
from tests.manifests.resource.documents import policy, queue
from tests.scheduler.service.site import Site, site
from tests.store.databases import new_store

P, Q = Kind.RETRY_POLICY, Kind.QUEUE
POLICIES = st.sampled_from(["a", "b", "c"])
QUEUES = st.sampled_from(["one", "two"])
LIMITS = st.integers(0, 3)
NAMED = st.lists(POLICIES, max_size=3, unique=True)


class Operators(RuleBasedStateMachine):
    """Operators who create, update, attach, delete and restart; ``policies`` and ``queues`` are what there must be.

    They ask either of two schedulers with one store. The second loads what the first has written only after a write of
    its own.
    """

    @initialize()
    def begin(self) -> None:
        """Open an empty store."""
        self.folder = tempfile.TemporaryDirectory()
        self.policies: dict[str, tuple[int, str]] = {}
        self.queues: dict[str, list[str]] = {}
        self.versions: dict[tuple[Kind, str], int] = {}
        self.url = new_store(Path(self.folder.name))
        self.open()

    def open(self) -> None:
        self.store = Store.open(self.url)
        self.api: Site = site(self.store)
        self.second: Site = site(self.store)
        self.asked = self.api

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            self.folder.cleanup()

    def put(self, text: str, intent: Intent, version: int = 0) -> Why | None:
        """Why it was refused, if it was."""
        try:
            self.asked.resources.put(text, who="x", intent=intent, version=version)
        except Refused as refused:
            return refused.why
        return None

    def deleted(self, name: str, *, detach: bool) -> Why | tuple[str, ...]:
        """Why it was refused, or the queues that lost it."""
        try:
            return self.asked.resources.delete(P, name, who="x", detach=detach).detached
        except Refused as refused:
            return refused.why

    def wrote(self, kind: Kind, name: str) -> None:
        self.versions[kind, name] = self.versions.get((kind, name), 0) + 1

    @rule(name=POLICIES, limit=LIMITS)
    def create(self, name: str, limit: int) -> None:
        """Create a policy, which its name allows once."""
        refused = self.put(policy(name, limit=limit), Intent.CREATE)

        assert refused == (Why.EXISTS if name in self.policies else None)
        if refused is None:
            self.wrote(P, name)
            self.policies[name] = (self.versions[P, name], policy(name, limit=limit))

    @rule(name=POLICIES, limit=LIMITS, behind=st.booleans())
    def update(self, name: str, limit: int, behind: bool) -> None:  # noqa: FBT001 - drawn
        """Update a policy, from the current version or from one that somebody else has replaced."""
        version, before = self.policies.get(name, (0, ""))
        refused = self.put(policy(name, limit=limit), Intent.UPDATE, version=99 if behind else version)

        if name not in self.policies:
            assert refused is Why.NOT_FOUND
        elif behind:
            assert refused is Why.CONFLICT
        elif before != policy(name, limit=limit):
            self.wrote(P, name)
            self.policies[name] = (self.versions[P, name], policy(name, limit=limit))

    @rule(name=QUEUES, named=NAMED)
    def attach(self, name: str, named: list[str]) -> None:
        """Make a queue name these policies."""
        refused = self.put(queue(name, named), Intent.APPLY)

        assert refused == (None if set(named) <= {*self.policies} else Why.INVALID)
        if refused is None and self.queues.get(name) != named:
            self.wrote(Q, name)
            self.queues[name] = named

    @rule(name=POLICIES, detach=st.booleans())
    def delete(self, name: str, detach: bool) -> None:  # noqa: FBT001 - drawn
        """Delete a policy; queues that name it forbid that, or lose it."""
        users = [one for one, named in self.queues.items() if name in named]
        done = self.deleted(name, detach=detach)

        if name not in self.policies:
            assert done is Why.NOT_FOUND
            return
        if users and not detach:
            assert done is Why.REFERENCED
            return
        assert done == tuple(sorted(users))
        self.wrote(P, name)
        del self.policies[name]
        for one in users:
            self.wrote(Q, one)
            self.queues[one] = [other for other in self.queues[one] if other != name]

    @rule()
    def ask_the_other(self) -> None:
        """Ask the other scheduler from now on."""
        self.asked = self.second if self.asked is self.api else self.api

    @rule()
    def restart(self) -> None:
        """Close the store and open it again."""
        self.store.close()
        self.open()

    @invariant()
    def both_have_the_same(self) -> None:
        """Texts, versions, references and what decisions use."""
        if not hasattr(self, "api"):
            return
        self.api.in_force.cache.look()
        stored = {one.name: one.stored for one in self.api.resources.everything(P)[0] if one.stored is not None}
        assert {name: (one.version, one.text) for name, one in stored.items()} == self.policies
        assert set(self.api.names(Q)) == set(self.queues)
        for name, named in self.queues.items():
            assert self.api.effective(name) == (tuple(named) or ("default",))
        for (kind, name), count in self.versions.items():
            assert [one.version for one in self.api.resources.versions(kind, name)] == list(range(count, 0, -1))


TestOperators = Operators.TestCase
TestOperators.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)
pytest.mark.slow(TestOperators)


def test_of_writers_who_race_from_one_version_exactly_one_wins(store: Store) -> None:
    api = site(store)
    schedulers = [api, site(store)]
    api.resources.put(policy("p"), who="x", intent=Intent.CREATE)
    together, outcomes = Barrier(4), list[Why | None]()

    def race(limit: int) -> None:
        together.wait()
        try:
            schedulers[limit % 2].resources.put(
                policy("p", limit=limit), who=f"writer {limit}", intent=Intent.UPDATE, version=1
            )
        except Refused as refused:
            outcomes.append(refused.why)
        else:
            outcomes.append(None)

    racers = [Thread(target=race, args=(10 + number,)) for number in range(4)]
    for one in racers:
        one.start()
    for one in racers:
        one.join()

    assert sorted(outcomes, key=str) == [None, Why.CONFLICT, Why.CONFLICT, Why.CONFLICT]
    winner = api.resources.get(P, "p").stored
    assert winner is not None
    assert (winner.version, winner.text) == (2, policy("p", limit=int(winner.changed_by.split()[1])))
