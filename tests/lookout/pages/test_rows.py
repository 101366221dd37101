"""Each row says why its job failed, whose fault that was and which container; rows are in the order asked for."""

from typing import Final

import pytest
from playwright.sync_api import expect

from tests.lookout.pages import stored
from tests.lookout.pages.looks import WIDTHS
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
        expect(row.locator(".chip-fault")).to_have_text(f"fault: {stored.fault(run)}")
        expect(row).to_contain_text(run["keyLine"][:40])


@pytest.mark.parametrize("mark", ["", "?"])
def test_a_row_says_where_only_the_program_says_whose_fault_it_was(
    mark: str, visit: Visit, lookout: ServedLookout
) -> None:
    found = stored.jobs(lookout.client, "state=any-failure&origin=infra", limit=100)
    job = next(job for job in found if stored.fault(stored.failure_of(job)) == f"infra{mark}")
    visit.go(f"/jobs?jobId={job['jobId']}&columns=name,fault,failure")

    row = visit.page.locator(f"tr[data-job='{job['jobId']}']")
    expect(row.locator("td[data-title='Fault']")).to_have_text(f"infra{mark}")
    expect(row.locator(".chip-fault")).to_have_text(f"fault: infra{mark}")
    assert ("only the program" in (row.locator(".chip").get_attribute("title") or "")) == bool(mark)


def test_the_container_stands_beside_its_exit_code(visit: Visit, lookout: ServedLookout) -> None:
    visit.go("/jobs?state=any-failure&exitCode=137")

    for job in stored.jobs(lookout.client, "state=any-failure&exitCode=137", limit=5):
        run = stored.failure_of(job)
        row = visit.page.locator(f"tr[data-job='{job['jobId']}']")
        expect(row).to_contain_text(f"{run['container']}: exit {run['exitCode']}")


@pytest.mark.parametrize("width", WIDTHS)
def test_the_node_of_a_failure_stands_in_its_row_without_sideways_scroll(
    visit: Visit, lookout: ServedLookout, width: int
) -> None:
    (job,) = stored.jobs(lookout.client, "state=any-failure", limit=1)
    visit.page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    visit.go("/jobs?state=any-failure")
    row = visit.page.locator(f"tr[data-job='{job['jobId']}']")

    expect(row.locator("td.is-node")).to_have_text(stored.failure_of(job)["node"])
    (failure, node) = (row.locator(f"td.is-{column}").bounding_box() for column in ("failure", "node"))
    assert failure is not None
    assert node is not None
    assert (node["x"] > failure["x"]) if width > 900 else (node["y"] > failure["y"])
    assert visit.page.evaluate("document.querySelector('table').offsetWidth") <= width


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
    visit.shows_jobs(stored.ids(lookout.client, query))
    first = len(shown_by_place(visit))
    visit.button("Load more").click()
    visit.page.wait_for_function("(most) => document.querySelector('table').ariaRowCount > most", arg=first + 1)

    shown = shown_by_place(visit)
    assert first < len(shown)
    assert shown == dict(enumerate(stored.ids(lookout.client, query, limit=len(shown))))


ALL = """(total) => {
    window.seen ??= {};
    for (const { dataset } of document.querySelectorAll("tr[data-job]")) window.seen[dataset.index] = dataset.job;
    scrollBy(0, innerHeight / 2);
    return Object.keys(window.seen).length === total && window.seen;
}"""
"""Scrolls until every row was drawn once: rows are drawn when they come near the window."""


def shown_by_place(visit: Visit) -> dict[int, str]:
    """Every job by its place in the list."""
    visit.page.evaluate("scrollTo(0, 0)")
    total = visit.page.evaluate("Number(document.querySelector('table').ariaRowCount) - 1")
    seen = visit.page.wait_for_function(ALL, arg=total).json_value()
    return {int(place): job_id for place, job_id in seen.items()}


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


MANY: Final = (
    "columns=name,state,failure,node,attempts,queue,owner,namespace,jobSet,cluster,verdict,rule,record,failedAt"
)
SIDEWAYS: Final = "(part) => [part.scrollLeft, part.scrollWidth - part.clientWidth]"


def test_more_columns_than_there_is_room_for_are_scrolled_to_without_the_end_of_the_list(visit: Visit) -> None:
    visit.go(f"/jobs?state=any-failure&{MANY}")
    bar, rows = visit.page.locator(".sideways"), visit.page.locator(".rows")
    box = bar.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] == pytest.approx(800, abs=1)
    last = visit.page.locator("th[data-column='failedAt']")
    expect(last).not_to_be_in_viewport()
    bar.evaluate("(bar) => { bar.scrollLeft = bar.scrollWidth; }")
    expect(last).to_be_in_viewport()
    at, most = rows.evaluate(SIDEWAYS)
    assert at == most > 0
    rows.evaluate("(rows) => { rows.scrollLeft = 0; }")
    visit.page.wait_for_function("() => document.querySelector('.sideways').scrollLeft === 0")

    for _ in range(3):
        visit.page.keyboard.press("j")
    expect(visit.rows.nth(2).locator("[data-row]")).to_be_focused()


def test_columns_that_fit_have_no_scrollbar(visit: Visit) -> None:
    visit.go("/jobs?state=any-failure")

    expect(visit.rows.first).to_be_visible()
    expect(visit.page.locator(".sideways")).to_have_count(0)
