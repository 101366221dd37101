"""Every page, in each of its states, can be read: in both schemes and both widths, without a finding of axe."""

from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.lookout.pages import stored
from tests.lookout.pages.looks import SCHEMES, WIDTHS, faults, small, unreadable
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import Visit

pytestmark = BROWSER

State = Callable[[Visit, ServedLookout], None]
"""Leads to a state of a page."""


def at(address: str) -> State:
    return lambda visit, lookout: visit.go(address)  # noqa: ARG005 - a state may need the data


def of_job(address: str, query: str = "state=recovered") -> State:
    """At an address of the first job that fits."""
    return lambda visit, lookout: visit.go(address.format(*stored.ids(lookout.client, query, limit=1)))


def of_run(visit: Visit, lookout: ServedLookout) -> None:
    (job,) = stored.jobs(lookout.client, "state=recovered", limit=1)
    visit.go(f"/runs/{stored.failure_of(job)['runId']}")


def pressing(state: State, *buttons: str) -> State:
    """The state when buttons were pressed, the first of each name."""

    def pressed(visit: Visit, lookout: ServedLookout) -> None:
        state(visit, lookout)
        for name in buttons:
            visit.page.get_by_role("button", name=name).first.click()

    return pressed


def choosing_a_time(visit: Visit, lookout: ServedLookout) -> None:  # noqa: ARG001 - a state may need the data
    visit.go("/jobs")
    more = visit.button("More filters")
    if more.is_visible():
        more.click()
    visit.page.get_by_role("combobox", name="First heard of in").click()
    expect(visit.page.get_by_role("option", name="the last hour")).to_be_visible()


def choosing_a_queue(visit: Visit, lookout: ServedLookout) -> None:  # noqa: ARG001 - a state may need the data
    visit.go("/jobs")
    visit.page.get_by_role("combobox", name="Queue").click()
    expect(visit.page.get_by_role("option").first).to_be_visible()


STATES: Final[dict[str, State]] = {
    "overview": at("/"),
    "overview, a month": at("/?since=30d"),
    "overview, in numbers": at("/?show=table&leastRuns=5&zone=Asia/Tokyo"),
    "overview, nothing ended": pressing(at("/?since=1h&queue=no-such-queue&category=oom"), "From … until …"),
    "jobs": at("/jobs"),
    "jobs, filtered": at("/jobs?state=any-failure&category=category-1&origin=infra&exitCode.gte=1&since=7d"),
    "jobs, all columns": at(
        "/jobs?state=any-failure&columns=name,state,failure,attempts,queue,owner,namespace,jobSet,cluster,node,verdict,"
        "rule,record,failedAt,firstAt"
    ),
    "jobs, of a time": at("/jobs?since=7d&until=1h&zone=Asia/Tokyo"),
    "jobs, choosing a time": choosing_a_time,
    "jobs, choosing a queue": choosing_a_queue,
    "jobs, adding a filter": pressing(at("/jobs"), "Add a filter"),
    "jobs, columns": pressing(at("/jobs"), "Columns"),
    "jobs, copying": pressing(at("/jobs?state=still-failed"), "Copy from"),
    "jobs, none": at("/jobs?queue=no-such-queue&since=1h"),
    "jobs, junk": at("/jobs?shoe=size&sort=sideways&state=still-failed"),
    "jobs, grouped": pressing(at("/jobs?group=queue,category&since=7d"), "Groups of"),
    "panel": of_job("/jobs?state=recovered&open={}"),
    "job": of_job("/jobs/{}"),
    "job, correcting": pressing(of_job("/jobs/{}", "state=still-failed"), "Wrong category?"),
    "job, succeeded": of_job("/jobs/{}", "state=succeeded"),
    "job, unknown": at("/jobs/no-such-job"),
    "run": of_run,
}


FINGERS: Final = 390
"""The width of a window that is touched."""


@pytest.mark.parametrize("name", STATES)
def test_a_page_can_be_read_and_touched(visit: Visit, lookout: ServedLookout, name: str) -> None:
    visit.watch.expect(r"status of 404")
    STATES[name](visit, lookout)
    visit.settle()
    found = {}
    for scheme in SCHEMES:
        visit.page.emulate_media(color_scheme=scheme)
        for width, height in WIDTHS.items():
            visit.page.set_viewport_size({"width": width, "height": height})
            visit.settle()
            visit.keep(f"{name}-{scheme}-{width}")
            # Colours are those of the scheme at any width: each is looked at once, and so is each layout.
            is_new = (scheme, width) in {("light", 1280), ("dark", 390)}
            found[scheme, width] = faults(visit.page) if is_new else unreadable(visit.page)
            found[scheme, width] += small(visit.page) if width == FINGERS else []

    assert {place: wrong for place, wrong in found.items() if wrong} == {}


def test_the_scheme_is_switched_and_kept(visit: Visit) -> None:
    visit.go("/jobs")
    visit.page.get_by_role("button", name="Use the dark colours").click()
    root = visit.page.locator("html")
    expect(root).to_have_attribute("data-mantine-color-scheme", "dark")
    visit.reload()

    expect(root).to_have_attribute("data-mantine-color-scheme", "dark")
    expect(visit.page.get_by_role("button", name="Use the light colours")).to_be_visible()
