"""A retry that a verdict granted is not counted if its run succeeded after all; the verdict stays."""

from datetime import timedelta

from agent.store import failures, verdicts
from agent.store.store import Store
from tests.core.lifecycle.made import play
from tests.store.events import START
from tests.store.submitted.made import change, played
from tests.store.test_rows import arrived, verdict

FAILED = ("0s leased r0 timer", "1s created r0 u0", "2s failed u0 retry")


def test_a_returned_grant_is_counted_nowhere(store: Store) -> None:
    with store.write() as connection:
        failures.store_new(connection, [arrived(name, run=name, job="j") for name in ("r0", "r1")], stored_at=START)
        verdicts.insert(connection, [verdict(name, job="j")[1] for name in ("r0", "r1")])
        before = played(connection, "j", FAILED)
        since = START - timedelta(days=1)
        counted = verdicts.histories(connection, ["j"], since=since)["j"]
        after, _ = play(*FAILED, "3s succeeded u0", job_id="j")
        change(connection, after, before=before)
        found = verdicts.histories(connection, ["j"], since=since)["j"]

    assert after.runs[0].grant_returned
    assert (counted.runs, dict(counted.granted), sum(counted.charged.values())) == (2, {"p/oom": 2}, 2)
    assert (found.runs, dict(found.granted), sum(found.charged.values())) == (2, {"p/oom": 1}, 1)
    assert [len(times) for times in counted.granted_at.values()] == [2]
    assert [len(times) for times in found.granted_at.values()] == [1]
