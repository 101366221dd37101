"""Rights that are missing: found at a review or by a refusal, said until they are there."""

import json
from dataclasses import dataclass, field

import pytest

from agent.cluster.rbac import PermissionReview, needed
from agent.kube.access import Access
from agent.kube.errors import ApiError, Unreachable
from agent.settings.cluster import ClusterSettings

LIST = Access(verb="list", resource="pods")
WATCH = Access(verb="watch", resource="pods")
JOBS = Access(verb="list", resource="jobs", group="batch")
OBSERVE = "deploy/rbac/observe.yaml grants it"


@dataclass
class Server:
    granted: set[Access]
    asked: list[Access] = field(default_factory=list)
    error: Exception | None = None

    async def is_granted(self, access: Access) -> bool:
        self.asked.append(access)
        if self.error is not None:
            raise self.error
        return access in self.granted


def rights(server: Server) -> PermissionReview:
    return PermissionReview(server.is_granted, needed=[LIST, WATCH], used_if_granted=[JOBS], interval=60)


async def test_what_is_granted_is_not_spoken_of() -> None:
    ours = rights(Server({LIST, WATCH}))
    await ours.review()

    assert ours.check() is None


async def test_what_is_missing_is_named_with_the_role_until_it_is_granted() -> None:
    server = Server({LIST})
    ours = rights(server)
    await ours.review()
    assert ours.check() == f"may not watch pods: {OBSERVE}"

    server.granted.add(WATCH)
    await ours.review()
    assert ours.check() is None


async def test_a_refusal_is_said_at_once_and_asked_about_from_then_on() -> None:
    server = Server({LIST, WATCH})
    ours = rights(server)
    ours.refused("PATCH", "/api/v1/namespaces/ml/pods/a", {})
    assert ours.check() == "may not patch pods in namespace ml: deploy/rbac/finalize.yaml grants it"

    await ours.review()
    assert ours.check() is not None

    server.granted.add(Access(verb="patch", resource="pods", namespace="ml"))
    await ours.review()
    assert ours.check() is None


async def test_what_no_role_grants_is_said_too() -> None:
    ours = rights(Server(set()))
    ours.refused("GET", "/api/v1/secrets", {})

    assert ours.check() == "may not list secrets: no role of ours grants it"


async def test_a_refused_review_is_no_missing_right() -> None:
    ours = rights(Server(set()))
    ours.refused("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {})

    assert ours.check() is None


async def test_what_is_only_made_use_of_is_missed_once_it_was_there() -> None:
    server = Server({LIST, WATCH})
    ours = rights(server)
    await ours.review()
    assert ours.check() is None

    server.granted.add(JOBS)
    await ours.review()
    server.granted.remove(JOBS)
    await ours.review()
    assert ours.check() == "may not list jobs.batch: deploy/rbac/owners.yaml grants it"


@pytest.mark.parametrize("error", [Unreachable("no answer"), ApiError(404, "NotFound", "no such path")])
async def test_a_server_that_does_not_say_changes_nothing(error: Exception) -> None:
    server = Server({LIST})
    ours = rights(server)
    await ours.review()
    server.error = error
    await ours.review()

    assert ours.check() == f"may not watch pods: {OBSERVE}"


async def test_more_than_a_few_are_counted() -> None:
    ours = rights(Server(set()))
    for number in range(8):
        ours.refused("PATCH", f"/api/v1/namespaces/ml-{number}/pods/a", {})

    assert (ours.check() or "").endswith("; and 3 more")


@pytest.mark.parametrize(("runs", "verbs"), [(None, {"create", "delete"}), (0, {"create", "delete", "patch"})])
def test_runs_need_to_start_pods_where_they_create_them(runs: int | None, verbs: set[str]) -> None:
    settings = ClusterSettings.model_validate_json(
        json.dumps(
            {
                "cluster": "east",
                "broker": {"url": "sqlite:///log"},
                "spool": {"path": "spool.db"},
                "run": {"namespaces": ["ml"], "maxRuns": runs},
            }
        )
    )

    assert {access.verb for access in needed(settings) if access.namespace == "ml"} == verbs
