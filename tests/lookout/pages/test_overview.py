"""The first page: its numbers are those of the API, and each leads to the jobs behind it."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from msgspec.structs import replace
from playwright.sync_api import Locator, expect

from agent.core.run_event import RunPhase
from tests.lookout.pages import stored
from tests.lookout.pages.conftest import Opens
from tests.lookout.pages.happened import failure_now, messages
from tests.lookout.pages.looks import unreadable
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import Visit

pytestmark = BROWSER

YESTERDAY = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=24)
SINCE, UNTIL = (f"{at:%Y-%m-%dT%H:%M:%SZ}" for at in (YESTERDAY, YESTERDAY + timedelta(hours=6)))
WINDOW = f"since={SINCE}&until={UNTIL}&zone=UTC"
"""Six hours that are over: what they hold does not change while a test looks."""

BEHIND = {"failedAt.gte": SINCE, "failedAt.lt": UNTIL}
"""How the jobs are asked for of which a run failed then."""


def asked(lookout: ServedLookout, path: str) -> Any:  # noqa: ANN401 - as JSON has it
    return lookout.client.get(f"/api/v1/{path}").json


def failures(lookout: ServedLookout) -> dict[str, int]:
    """The failed runs of the window by origin."""
    lines = asked(lookout, f"series?by=origin&since={SINCE}&until={UNTIL}")["lines"]
    return {line["value"]: line["failures"] for line in lines if line["failures"]}


def part(visit: Visit, title: str) -> Locator:
    return visit.page.get_by_role("region", name=title)


def leads_to(visit: Visit, lookout: ServedLookout, link: Locator, **filters: str | list[str]) -> None:
    """A link leads to the jobs that fit, and Back to where it was."""
    visit.go(f"/?{WINDOW}")
    link.click()
    query = urlencode({**BEHIND, **filters}, doseq=True)
    visit.settle()
    assert sorted(visit.address.partition("?")[2].split("&")) == sorted(query.split("&"))
    visit.shows_jobs(stored.ids(lookout.client, query))
    visit.back()
    expect(visit.page.get_by_role("heading", level=1)).to_have_text("Overview")


def test_its_figures_are_those_of_the_api(visit: Visit, lookout: ServedLookout) -> None:
    found, outcomes = failures(lookout), asked(lookout, f"outcomes?since={SINCE}&until={UNTIL}")
    whole = sum(found.values())
    visit.go(f"/?{WINDOW}")

    figures = visit.page.get_by_role("list", name="In short")
    shown = [text.partition(". ")[0] for text in _labels(figures)]
    assert shown == [
        f"Failed runs: {whole:,}",
        f"Infra and platform: {_percent(found['infra'] + found['platform'], whole)}",
        f"User: {_percent(found['user'], whole)}",
        f"Jobs that recovered: {_percent(outcomes['recovered'], outcomes['jobs'])}",
        f"Jobs that still failed: {_percent(outcomes['stillFailed'], outcomes['jobs'])}",
    ]
    expect(figures).to_contain_text(f"{outcomes['recovered']:,} of {outcomes['jobs']:,} jobs with a failed run")


def _labels(figures: Locator) -> list[str]:
    return [link.get_attribute("aria-label") or "" for link in figures.locator(".figure-number").all()]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}\u00a0%"


def test_a_figure_leads_to_its_jobs(visit: Visit, lookout: ServedLookout) -> None:
    others = visit.page.get_by_role("link", name=re.compile("^Infra and platform"))
    leads_to(visit, lookout, others, origin=["infra", "platform"])


def test_a_fault_and_a_category_lead_to_their_jobs(visit: Visit, lookout: ServedLookout) -> None:
    (top, *_) = asked(lookout, f"tops/category?since={SINCE}&until={UNTIL}")["items"]
    over_time = part(visit, "Failures over time")
    leads_to(visit, lookout, over_time.get_by_role("link", name="Platform", exact=True), origin="platform")
    category = part(visit, "Top categories").get_by_role("link", name=top["value"], exact=True)
    leads_to(visit, lookout, category, category=top["value"])


def test_a_bar_leads_to_the_jobs_of_its_hour(visit: Visit) -> None:
    visit.go(f"/?{WINDOW}")
    chart = part(visit, "Failures over time").get_by_role("img")
    expect(chart.locator("canvas")).to_be_visible()
    box = chart.bounding_box()
    assert box is not None
    chart.click(position={"x": box["width"] / 2, "y": 16})  # above a bar, between its neighbours
    visit.settle()

    hours = re.findall(r"failedAt\.(?:gte|lt)=[^&]*T(\d\d)%3A00", visit.address)
    assert (int(hours[1]) - int(hours[0])) % 24 == 1
    assert visit.address.startswith("/jobs?")


def test_a_table_has_the_numbers_of_the_chart(visit: Visit, lookout: ServedLookout) -> None:
    visit.go(f"/?{WINDOW}")
    visit.page.get_by_role("button", name="As a table").focus()
    visit.page.keyboard.press("Enter")
    table = part(visit, "Failures over time").get_by_role("table")
    expect(table.get_by_role("row")).to_have_count(7)
    visit.reload()

    counts = [int(text.replace(",", "")) for text in table.locator("tbody td:nth-child(2)").all_inner_texts()]
    assert sum(counts) == sum(failures(lookout).values())
    assert "show=table" in visit.address
    leads_to(visit, lookout, visit.page.get_by_role("link", name=re.compile("^Failed runs")))


def test_nodes_are_ranked_by_the_rate_that_they_have_at_least(visit: Visit, lookout: ServedLookout) -> None:
    found = asked(lookout, f"tops/node?since={SINCE}&until={UNTIL}&leastRuns=1&limit=8")
    visit.go(f"/?{WINDOW}&leastRuns=1")
    nodes = part(visit, "Worst nodes")

    assert nodes.get_by_role("rowheader").get_by_role("link").all_inner_texts() == [
        top["value"] for top in found["items"]
    ]
    worst = found["items"][0]
    expect(nodes).to_contain_text(f"{worst['failures']} of {worst['runs']}")
    expect(nodes).to_contain_text("by whole days")


def test_what_failed_repeatedly_leads_to_the_job(visit: Visit, lookout: ServedLookout) -> None:
    found = asked(lookout, f"tops/retrying?since={SINCE}&until={UNTIL}")["items"]
    visit.go(f"/?{WINDOW}")
    job = found[0]["job"]
    part(visit, "What failed repeatedly").get_by_role(
        "link", name=job["name"] or job["jobId"], exact=True
    ).first.click()

    expect(visit.page).to_have_url(re.compile(f"/jobs/{job['jobId']}$"))


def test_what_failed_repeatedly_says_whether_it_goes_on(visit: Visit, lookout: ServedLookout) -> None:
    over = [failure_now("gave-up", run=f"gave-up-{attempt}") for attempt in range(3)]
    failed = [failure_now("at-it", run=f"at-it-{attempt}") for attempt in range(2)]
    again = replace(
        failed[1],
        event_id="at-it-runs",
        identity=replace(failed[1].identity, run_id="at-it-2", attempt=2),
        occurred_at=datetime.now(UTC),
        event=RunPhase.RUNNING,
    )
    lookout.publish(messages(*over, *failed, again))
    visit.go("/?since=1h&zone=UTC")
    repeated = part(visit, "What failed repeatedly")

    going, ended = (repeated.get_by_role("list", name=name) for name in ("These go on", "These have ended"))
    expect(going.get_by_role("listitem").filter(has_text="at-it")).to_contain_text("runs again, started")
    expect(ended.get_by_role("listitem").filter(has_text="gave-up")).to_contain_text("ended")
    assert unreadable(visit.page) == []


def test_window_and_zone_are_in_the_address(lookout: ServedLookout, open_visit: Opens) -> None:
    visit = open_visit(lookout, timezone_id="Asia/Tokyo")
    visit.go("/")
    visit.button("7 days").click()
    expect(visit.page).to_have_url(f"{lookout.url}/?since=7d&zone=Asia%2FTokyo")
    visit.settle()
    expect(
        visit.page.get_by_text(re.compile(r"^Runs that ended from .*, 00:00 until now \(Asia/Tokyo\)"))
    ).to_be_visible()
    visit.back()

    expect(visit.button("24 hours")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/?zone=Mars&since=junk&category=oom", ["zone=Mars", "since=junk", "category=oom"]),
        ("/?since=beginning&step=%00&__proto__=x", ["since=beginning", "__proto__=x"]),
    ],
)
def test_junk_in_its_address_is_named(visit: Visit, address: str, said: list[str]) -> None:
    visit.go(address)
    for text in said:
        visit.shows(text)
    visit.button("Take it out of the address").click()

    expect(visit.page).to_have_url(re.compile(r"/$"))


def test_a_failure_is_counted_while_one_looks(visit: Visit, lookout: ServedLookout) -> None:
    lines = asked(lookout, "series?since=1h&cluster=east")["lines"]
    before = sum(line["failures"] for line in lines)
    visit.go("/?since=1h&cluster=east&zone=UTC")
    lookout.publish(messages(failure_now("counted-live")))

    figure = visit.page.get_by_role("link", name=re.compile("^Failed runs: "))
    expect(figure).to_have_accessible_name(f"Failed runs: {before + 1}. Show the jobs.")


def test_one_always_sees_which_page_it_is(visit: Visit) -> None:
    pages = visit.page.get_by_role("navigation", name="Pages")
    visit.go("/")
    expect(visit.page).to_have_title("Overview")
    expect(pages.get_by_role("link", name="Overview")).to_have_attribute("aria-current", "page")
    pages.get_by_role("link", name="Jobs").click()
    visit.settle()

    expect(pages.get_by_role("link", name="Jobs")).to_have_attribute("aria-current", "page")
    expect(pages.get_by_role("link", name="Overview")).not_to_have_attribute("aria-current", "page")
    expect(visit.page.locator("#main")).to_be_focused()
