"""Each row says why its job failed, whose fault that was and which container; rows are in the order asked for."""

import pytest
from playwright.sync_api import expect

from tests.lookout.pages import stored
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import Visit

pytestmark = BROWSER


def test_a_row_says_why_its_job_failed(visit: Visit, lookout: ServedLookout) -> None:
    visit.go("/jobs?state=any-failure")

    for job in stored.jobs(lookout.client, "state=any-failure", limit=5):
        run = stored.failure_of(job)
        row = visit.page.locator(f"tr[data-job='{job['jobId']}']")
        expect(row).to_contain_text(stored.leaf(run))
        expect(row).to_contain_text(f"fault: {run['origin']}")
        expect(row).to_contain_text(run["keyLine"][:40])


def test_the_container_stands_beside_its_exit_code(visit: Visit, lookout: ServedLookout) -> None:
    visit.go("/jobs?state=any-failure&exitCode=137")

    for job in stored.jobs(lookout.client, "state=any-failure&exitCode=137", limit=5):
        run = stored.failure_of(job)
        row = visit.page.locator(f"tr[data-job='{job['jobId']}']")
        expect(row).to_contain_text(f"{run['container']}: exit {run['exitCode']}")


@pytest.mark.parametrize(
    ("name", "state"), [("Any failure", "any-failure"), ("Still failed", "still-failed"), ("Recovered", "recovered")]
)
def test_one_click_shows_what_failed_at_all_still_or_no_more(
    visit: Visit, lookout: ServedLookout, name: str, state: str
) -> None:
    visit.go("/jobs")
    visit.button(name).click()

    visit.shows_jobs(stored.ids(lookout.client, f"state={state}"))
    visit.shows(f"of {stored.count(lookout.client, f'state={state}')} jobs shown")
    expect(visit.button(name)).to_have_attribute("aria-pressed", "true")
    assert visit.address == f"/jobs?state={state}"


def test_more_rows_follow_in_order_and_none_comes_twice(visit: Visit, lookout: ServedLookout) -> None:
    query = "state=still-failed&sort=queue"
    visit.go(f"/jobs?{query}")
    for shown in (100, 150):
        visit.button("Load more").click()
        visit.shows(f"{shown} of ")

    assert shown_by_place(visit) == dict(enumerate(stored.ids(lookout.client, query, limit=150)))


def shown_by_place(visit: Visit) -> dict[int, str]:
    """Every job by its place in the list: rows are drawn when they come into the window."""
    found: dict[int, str] = {}
    visit.page.keyboard.press("Control+Home")
    while True:
        visit.settle()
        before = len(found)
        drawn = visit.rows.evaluate_all("rows => rows.map((row) => [Number(row.dataset.index), row.dataset.job])")
        found.update(dict(drawn))
        if len(found) == before:
            return found
        visit.rows.last.scroll_into_view_if_needed()


@pytest.mark.parametrize(("heading", "column"), [("Queue", "queue"), ("Owner", "owner")])
def test_a_heading_sorts_and_turns_the_order_round(
    visit: Visit, lookout: ServedLookout, heading: str, column: str
) -> None:
    visit.go("/jobs?state=still-failed")
    cell = visit.page.get_by_role("columnheader", name=heading)
    for order, sort in (("ascending", column), ("descending", f"-{column}")):
        cell.get_by_role("button").first.click()
        visit.shows_jobs(stored.ids(lookout.client, f"state=still-failed&sort={sort}"))
        expect(cell).to_have_attribute("aria-sort", order)
        assert visit.address == f"/jobs?sort={sort}&state=still-failed"
