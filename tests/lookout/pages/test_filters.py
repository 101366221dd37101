"""Filters are asked of the API, and the address is the state: a link, Back and a reload show the same again."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.lookout.pages import stored
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import Visit

pytestmark = BROWSER

FIELDS = {
    "Category": ("category", "category-1"),
    "Fault": ("origin", "infra"),
    "Queue": ("queue", "queue-3"),
    "Owner": ("owner", "person-1"),
    "Exit code": ("exitCode", "137"),
    "Key line contains": ("keyLine.contains", "socket"),
}
"""What is typed into which field, and the parameter that it becomes."""


@pytest.mark.parametrize("label", FIELDS)
def test_a_field_filters(visit: Visit, lookout: ServedLookout, label: str) -> None:
    name, value = FIELDS[label]
    visit.go("/jobs?state=any-failure")
    field = visit.field(label)
    field.fill(value)
    field.press("Enter")

    visit.shows_jobs(stored.ids(lookout.client, f"state=any-failure&{name}={value}"))
    assert parameters(visit) == {"state": ["any-failure"], name: [value]}


def test_a_node_filters(visit: Visit, lookout: ServedLookout) -> None:
    (job,) = stored.jobs(lookout.client, "state=still-failed", limit=1)
    node = stored.failure_of(job)["node"]
    visit.go("/jobs")
    field = visit.field("Node")
    field.fill(node)
    field.press("Enter")

    visit.shows_jobs(stored.ids(lookout.client, f"node={node}"))
    assert parameters(visit) == {"node": [node]}


def parameters(visit: Visit) -> dict[str, list[str]]:
    return parse_qs(urlsplit(visit.address).query, keep_blank_values=True)


LINKS = [
    "category=category-1&category=category-2&origin=user",
    "action=retry&exitCode=1",
    "subcategory=limit&state=still-failed",
    "container=main&sort=owner&state=any-failure",
    "exitCode.gte=128&state=any-failure",
    "category.exists=false",
    "node.startsWith=node-19",
]


@pytest.mark.parametrize("query", LINKS)
def test_a_link_is_a_saved_view(visit: Visit, lookout: ServedLookout, query: str) -> None:
    visit.go(f"/jobs?{query}")
    visit.shows_jobs(stored.ids(lookout.client, query))
    visit.reload()

    visit.shows_jobs(stored.ids(lookout.client, query))
    named = {name for name in parameters(visit) if name != "sort"}
    on = visit.page.get_by_role("group", name="Filters that are on")
    expect(on.get_by_role("button", name=re.compile("^Remove "))).to_have_count(len(named))


def test_back_and_forward_lead_through_what_was_looked_at(visit: Visit, lookout: ServedLookout) -> None:
    visit.go("/jobs")
    visit.button("Still failed").click()
    visit.shows_jobs(stored.ids(lookout.client, "state=still-failed"))
    line = visit.field("Key line contains")
    line.fill("socket")
    line.press("Enter")
    visit.shows_jobs(stored.ids(lookout.client, "state=still-failed&keyLine.contains=socket"))

    visit.back()
    visit.shows_jobs(stored.ids(lookout.client, "state=still-failed"))
    expect(line).to_have_value("")
    visit.back()
    visit.shows_jobs(stored.ids(lookout.client))
    visit.page.go_forward()
    visit.page.go_forward()
    visit.shows_jobs(stored.ids(lookout.client, "state=still-failed&keyLine.contains=socket"))
    expect(line).to_have_value("socket")


def test_each_filter_that_is_on_can_be_taken_away_and_all_at_once(visit: Visit, lookout: ServedLookout) -> None:
    visit.go("/jobs?category=category-1&origin=infra&verdictReason=rule")
    on = visit.page.get_by_role("group", name="Filters that are on")
    on.get_by_role("button", name="Remove fault: infra").click()

    visit.shows_jobs(stored.ids(lookout.client, "category=category-1&verdictReason=rule"))
    on.get_by_role("button", name="Clear all").click()
    visit.shows_jobs(stored.ids(lookout.client))
    assert visit.address == "/jobs"


def test_my_jobs_are_one_click_once_the_name_is_known(visit: Visit, lookout: ServedLookout) -> None:
    visit.go("/jobs")
    visit.button("My jobs").click()
    visit.field("Your name as an owner of jobs").fill("person-2")
    visit.button("Show my jobs").click()
    visit.shows_jobs(stored.ids(lookout.client, "owner=person-2"))

    visit.go("/jobs")
    visit.button("My jobs").click()
    visit.shows_jobs(stored.ids(lookout.client, "owner=person-2"))
    assert visit.address == "/jobs?owner=person-2"
