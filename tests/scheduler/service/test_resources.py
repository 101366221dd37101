from pathlib import Path

import pytest
import structlog.testing
from msgspec.structs import replace

from agent.core.decision.verdict import Verdict
from agent.manifests.resource.kind import Kind
from agent.scheduler.service.plan import Intent, Refused, Why
from agent.scheduler.service.resources import Result
from agent.store import failures, jobs, rule_sets, runs, verdicts
from agent.store.failures import Arrival
from agent.store.resources import Change, NewVersion, write
from agent.store.runs import ReceivedEvent
from agent.store.store import Store
from agent.store.verdicts import NewVerdict
from tests.manifests.resource.documents import armadas, policy, queue, rule
from tests.scheduler.service.site import AT, Site, site
from tests.store.events import event, failed, submit
from tests.store.test_rows import RETRY, under
from tests.store.test_rule_sets import loaded

P, Q = Kind.RETRY_POLICY, Kind.QUEUE


def create(api: Site, *texts: str, **more: bool) -> tuple[Result, ...]:
    return api.resources.put("---\n".join(texts), who="alice", intent=Intent.CREATE, **more)


def update(api: Site, text: str, *, version: int = 0, who: str = "bob") -> tuple[Result, ...]:
    return api.resources.put(text, who=who, intent=Intent.UPDATE, version=version)


def apply(api: Site, text: str) -> tuple[Result, ...]:
    return api.resources.put(text, who="carol", intent=Intent.APPLY)


def refusal(call: object, *given: object, **more: object) -> tuple[Why, str]:
    with pytest.raises(Refused) as refused:
        call(*given, **more)  # type: ignore[operator]  # any of the calls of this page
    return refused.value.why, str(refused.value)


def test_what_is_created_is_in_force_and_kept_as_it_was_written(api: Site) -> None:
    text = policy("infra", comment="why it is so")

    (made,) = create(api, text)

    shown = api.resources.get(P, "infra")
    assert (made.change, made.version, shown.text) == (Change.CREATED, 1, text)
    assert shown.stored is not None
    assert (shown.stored.uid, shown.stored.created_by, shown.stored.created_at) == ("uid-1", "alice", AT)
    assert api.effective("any", "infra") == ("infra",)
    assert api.effective("any") == ("default",)


def test_a_text_of_several_documents_is_taken_whole_or_not_at_all(api: Site) -> None:
    create(api, queue("ml", ["infra"]), policy("infra"), rule(17))
    assert api.effective("ml") == ("infra",)

    assert refusal(create, api, policy("other"), queue("q", ["gone"])) == (
        Why.INVALID,
        "queue q: retry policies do not exist: gone; there are: default, infra, other",
    )
    assert api.names(P) == ["infra"]


def test_a_name_is_created_once_but_armadas_policies_are_replaced(api: Site) -> None:
    create(api, policy("infra"), armadas("old"))

    assert refusal(create, api, policy("infra", limit=5))[0] is Why.EXISTS
    (replaced,) = create(api, armadas("old", limit=7))
    assert (replaced.change, replaced.version) == (Change.UPDATED, 2)


def test_the_same_text_is_no_new_version(api: Site) -> None:
    create(api, policy("infra"))

    (same,) = apply(api, policy("infra"))
    (changed,) = apply(api, policy("infra", limit=9))

    assert (same.change, same.version) == (None, 1)
    assert (changed.change, changed.version) == (Change.UPDATED, 2)
    assert len(api.resources.versions(P, "infra")) == 2


def test_of_two_writers_the_later_is_refused(api: Site) -> None:
    create(api, policy("infra"))
    update(api, policy("infra", limit=4), version=1)

    why, words = refusal(update, api, policy("infra", limit=5), version=1)

    assert (why, "is at version 2, not 1" in words) == (Why.CONFLICT, True)
    assert refusal(update, api, policy("gone"))[0] is Why.NOT_FOUND


def test_a_policy_that_queues_name_is_deleted_only_with_detaching(api: Site) -> None:
    create(
        api, policy("p1"), policy("other"), queue("queue-b", ["p1", "other"], comment="kept"), queue("queue-a", ["p1"])
    )

    why, words = refusal(api.resources.delete, P, "p1", who="bob")
    assert (why, "2 queues: queue-a, queue-b" in words) == (Why.REFERENCED, True)

    with structlog.testing.capture_logs() as logs:
        done = api.resources.delete(P, "p1", who="bob", detach=True)

    assert done.detached == ("queue-a", "queue-b")
    assert api.resources.get(Q, "queue-b").text == queue("queue-b", ["other"], comment="kept")
    assert api.effective("queue-b") == ("other",)
    (latest, *_) = api.resources.versions(Q, "queue-a")
    assert (latest.change, latest.note) == (Change.DETACHED, "retry policy p1 was deleted")
    (log,) = (one for one in logs if "detached it" in one["event"])
    assert (log["event"], log["queues"]) == (
        "deleted retry policy p1 and detached it from 2 queues",
        "queue-a, queue-b",
    )


def test_deleting_what_is_not_there_is_refused_unless_that_is_asked_for(api: Site) -> None:
    assert refusal(api.resources.delete, P, "gone", who="bob")[0] is Why.NOT_FOUND
    assert api.resources.delete(P, "gone", who="bob", allow_missing=True).change is None
    assert refusal(api.resources.delete, P, "", who="bob")[0] is Why.INVALID


def test_the_default_policy_can_be_changed_and_never_deleted(api: Site) -> None:
    assert api.resources.get(P, "default").stored is None
    assert refusal(api.resources.delete, P, "default", who="bob")[0] is Why.PROTECTED

    update(api, policy("default", limit=1))

    assert api.given[-1].catalog.in_effect("any").policies[0].policy.rules[0].retry_limit == 1
    assert refusal(api.resources.delete, P, "default", who="bob", detach=True)[0] is Why.PROTECTED


def test_a_policy_of_a_file_is_read_only_and_wins(store: Store, tmp_path: Path) -> None:
    create(site(store), policy("infra", limit=1))
    file = tmp_path / "infra.yaml"
    file.write_text(policy("infra", limit=9))

    api = site(store, file)

    why, words = refusal(create, api, policy("infra"))
    assert (why, str(file) in words) == (Why.READ_ONLY, True)
    assert refusal(api.resources.delete, P, "infra", who="bob")[0] is Why.READ_ONLY
    assert api.resources.get(P, "infra").file == str(file)
    (effective,) = api.given[-1].catalog.in_effect("any", "infra").policies
    assert effective.policy.rules[0].retry_limit == 9


def test_a_file_that_takes_a_stored_name_is_reported(store: Store, tmp_path: Path) -> None:
    create(site(store), policy("infra"))
    (tmp_path / "infra.yaml").write_text(policy("infra"))

    with structlog.testing.capture_logs() as logs:
        site(store, tmp_path / "infra.yaml")

    assert [one["name"] for one in logs if "because a file has one of its name" in one["event"]] == ["infra"]


def test_an_earlier_version_comes_back_also_after_a_deletion(api: Site) -> None:
    create(api, policy("infra", limit=1))
    update(api, policy("infra", limit=2))
    update(api, policy("infra", limit=3))

    assert api.resources.roll_back(P, "infra", who="bob").version == 4
    assert api.resources.get(P, "infra").text == policy("infra", limit=2)
    api.resources.delete(P, "infra", who="bob")
    done = api.resources.roll_back(P, "infra", who="bob", version=1)

    assert (done.change, done.version) == (Change.ROLLED_BACK, 6)
    history = api.resources.versions(P, "infra")
    assert [(one.version, one.change) for one in history] == [
        (6, Change.ROLLED_BACK),
        (5, Change.DELETED),
        (4, Change.ROLLED_BACK),
        (3, Change.UPDATED),
        (2, Change.UPDATED),
        (1, Change.CREATED),
    ]
    assert refusal(api.resources.roll_back, P, "infra", who="bob", version=99)[0] is Why.NOT_FOUND


def test_a_dry_run_checks_and_changes_nothing(api: Site) -> None:
    create(api, policy("infra"))

    (would,) = create(api, policy("other"), dry_run=True)
    assert (would.change, api.names(P)) == (Change.CREATED, ["infra"])
    assert refusal(create, api, queue("q", ["gone"]), dry_run=True)[0] is Why.INVALID
    assert api.resources.delete(P, "infra", who="bob", dry_run=True).before == policy("infra")
    assert api.names(P) == ["infra"]


def decided(store: Store, run: str, job: str, verdict: Verdict) -> None:
    """A failed run of a job, decided like this."""
    happened = event(f"event-{run}", failed(), run=run, job=job)
    arrival = Arrival(event=happened, failure=failed())
    made = NewVerdict(event=happened, verdict=verdict, decided_at=AT)
    with store.write() as connection:
        failures.store_new(connection, [arrival], stored_at=AT)
        verdicts.insert(connection, [made])
        recorded = runs.record(connection, [ReceivedEvent(event=happened)])
        jobs.record(
            connection, recorded.rows, began=recorded.began, events=[happened], arrivals=[arrival], decided=[made]
        )


def test_a_dry_run_says_how_many_waiting_jobs_have_counts_under_the_policy(api: Site) -> None:
    create(api, policy("p"), queue("ml", ["p"]))
    for job_id in ("job-1", "job-2", "job-3"):
        submit(api.store, job_id)
    decided(api.store, "r1", "job-1", under("p/oom"))
    decided(api.store, "r2", "job-2", under("p/gone"))
    decided(api.store, "r3", "job-3", under("px/oom"))
    decided(api.store, "r4", "job-4", replace(RETRY, explanation=RETRY.explanation))

    (would,) = api.resources.put(policy("p", limit=1), who="bob", intent=Intent.UPDATE, dry_run=True)
    (of_queue,) = api.resources.put(queue("ml", []), who="bob", intent=Intent.UPDATE, dry_run=True)

    # What nobody submitted waits for no retry.
    assert (would.affected.jobs, would.affected.restarted) == (2, 1)
    assert (of_queue.affected.jobs, of_queue.affected.restarted) == (3, 0)


def test_a_stored_document_that_no_longer_compiles_leaves_its_last_good_version_in_force(api: Site) -> None:
    create(api, policy("a", limit=1), policy("b"))
    broken = policy("a").replace("OOMKilled", "OomKilled")
    with api.store.decide({"resources"}) as connection:
        write(connection, NewVersion(kind=P, name="a", uid="uid-1", text=broken, change=Change.UPDATED, at=AT, by="x"))

    with structlog.testing.capture_logs() as logs:
        api.in_force.cache.look()

    (unusable,) = api.in_force.cache.current.unusable
    assert (unusable.name, unusable.version, unusable.in_force) == ("a", 2, 1)
    assert "did you mean `OOMKilled`?" in unusable.problem
    (effective,) = api.given[-1].catalog.in_effect("any", "a").policies
    assert (effective.policy.rules[0].retry_limit, effective.version) == (1, 1)
    assert [one["name"] for one in logs if one["event"] == "a stored document does not compile"] == ["a"]


def test_a_queue_without_policies_is_warned_of(api: Site) -> None:
    (made,) = create(api, queue("ml"))

    assert made.warnings == ("it names no retry policy: default decides for jobs that name none",)


def test_two_queues_and_an_annotation_each_have_their_own_policies(api: Site) -> None:
    create(api, policy("a"), policy("b"), policy("c"), queue("one", ["a"]), queue("two", ["b"]))
    before = api.given[-1].catalog

    update(api, policy("a", limit=9))

    assert (api.effective("one"), api.effective("two"), api.effective("", "c")) == (("a",), ("b",), ("c",))
    assert api.effective("two", "c, a") == ("b", "c", "a")
    after = api.given[-1].catalog
    assert [one.version for one in after.policies.values()] == [None, 2, 1, 1]
    assert before.in_effect("one").versions == (1,)


def test_a_category_that_no_cluster_has_is_warned_of(api: Site) -> None:
    text = armadas("p") + "rules:\n- {action: Fail, onCategory: memry}\n- {action: Fail, onCategory: memory}\n"
    (before,) = create(api, text)
    with api.store.write() as connection:
        rule_sets.record(connection, [loaded("east", "memory"), loaded("west", "network")])

    (after,) = create(api, text.replace("retryLimit: 3", "retryLimit: 4"))

    assert before.warnings == ()
    assert after.warnings == ("the rules of no cluster give a category memry; did you mean `memory`?",)
