"""Jobs in groups of groups, each with its counts and its faults, as the API counts them; a group leads to its jobs."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, expect

from tests.lookout.pages import stored
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import Visit

pytestmark = BROWSER

SINCE = (datetime.now(UTC) - timedelta(days=4)).strftime("%Y-%m-%dT00:00:00Z")
DAYS = f"since={SINCE}"
"""Some days with a fixed beginning: a job would leave seven days while they are looked at."""


def counts(lookout: ServedLookout, by: str) -> stored.Json:
    return lookout.client.get(f"/api/v1/groups/jobs?by={by}&{DAYS}").json


def group(within: Locator, name: str) -> Locator:
    """The group of this name that is nearest below."""
    return within.locator(":scope > ul.groups > li, :scope > li").filter(
        has=within.page.get_by_role("link", name=name, exact=True)
    )


def test_groups_have_the_counts_of_the_api(visit: Visit, lookout: ServedLookout) -> None:
    visit.go(f"/jobs?group=queue,category&{DAYS}")

    for found in counts(lookout, "queue,category")["groups"][:5]:
        shown = group(visit.page.locator("ul.groups").first, found["value"])
        expect(shown).to_contain_text(f"{found['count']:,} job")
        expect(shown).to_contain_text(f"{found['failed']:,} (")
        for origin, number in found["origins"].items():
            expect(shown).to_contain_text(f"{origin} {number:,}")
        for state, number in found["states"].items():
            expect(shown).to_contain_text(f"{state} {number:,}")


def test_the_bar_of_a_group_is_as_wide_as_its_faults(visit: Visit, lookout: ServedLookout) -> None:
    found = counts(lookout, "queue")["groups"][0]
    visit.go(f"/jobs?group=queue&{DAYS}")
    parts = group(visit.page.locator("ul.groups").first, found["value"]).locator(".bar > span")
    expect(parts).to_have_count(len(found["origins"]))
    widths = sorted(part.bounding_box()["width"] for part in parts.all())  # type: ignore[index]  # it is visible

    expected = sorted(sum(widths) * number / sum(found["origins"].values()) for number in found["origins"].values())
    assert widths == pytest.approx(expected, abs=len(widths) + 1)


def test_a_group_opens_its_groups_and_leads_to_their_jobs(visit: Visit, lookout: ServedLookout) -> None:
    outer = counts(lookout, "queue,category")["groups"][0]
    inner = next(found for found in outer["groups"] if found["value"])
    visit.go(f"/jobs?group=queue,category&{DAYS}")
    shown = group(visit.page.locator("ul.groups").first, outer["value"])
    shown.get_by_role("button", name=f"Groups of {outer['value']}").click()
    narrow = group(shown, inner["value"])
    expect(narrow).to_contain_text(f"{inner['count']:,} job")
    narrow.get_by_role("link", name=inner["value"], exact=True).click()

    query = f"queue={outer['value']}&category={inner['value']}&{DAYS}"
    visit.shows_jobs(stored.ids(lookout.client, query))
    visit.back()
    expect(group(visit.page.locator("ul.groups").first, outer["value"])).to_be_visible()


def test_a_field_groups_and_the_address_has_it(visit: Visit) -> None:
    visit.go("/jobs")
    field = visit.page.get_by_role("combobox", name="Group by, then by").or_(
        visit.page.get_by_role("textbox", name="Group by, then by")
    )
    field.click()
    for name in ("cluster", "fault"):
        visit.page.get_by_role("option", name=name, exact=True).click()
    visit.settle()

    expect(visit.page).to_have_url(re.compile(r"/jobs\?group=cluster%2Corigin$"))
    expect(visit.page.get_by_role("link", name=re.compile("^cluster-"))).not_to_have_count(0)
