"""Times in the zone of whoever looks: how long ago, when exactly, and what is typed, also where the clocks change."""

from datetime import datetime
from pathlib import Path
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

from tests.lookout.pages import stored
from tests.lookout.pages.conftest import Opens
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.tables import table

pytestmark = BROWSER

ROWS = table(Path(__file__).parent / "zones.yaml")
ZONES = sorted({row["zone"] for row in ROWS})


@pytest.mark.parametrize("zone", ZONES)
def test_a_time_says_when_it_was_where_one_is(lookout: ServedLookout, open_visit: Opens, zone: str) -> None:
    visit = open_visit(lookout, timezone_id=zone)
    (job,) = stored.jobs(lookout.client, "state=still-failed", limit=1)
    visit.go("/jobs?state=still-failed")

    shown = visit.rows.first.locator(f"time[datetime='{job['firstAt']}']").first
    here = datetime.fromisoformat(job["firstAt"]).astimezone(ZoneInfo(zone))
    expect(shown).to_contain_text(" ago")
    title = shown.get_attribute("title") or ""
    assert title.startswith(f"{here.day} ")
    assert f" {here.year}, {here:%H:%M:%S} " in title


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['zone']} {row['field']}")
def test_what_is_typed_is_in_the_zone_of_whoever_types(
    lookout: ServedLookout, open_visit: Opens, row: dict[str, str]
) -> None:
    visit = open_visit(lookout, timezone_id=row["zone"])
    visit.go(f"/jobs?since={row['since']}")
    field = visit.page.locator("input[type=datetime-local]").first
    expect(field).to_have_value(row["field"])
    visit.go("/jobs?since=2026-09-01T12:00:00Z")
    field.fill(row["field"])
    field.press("Enter")
    visit.settle()

    expect(visit.page).to_have_url(f"{lookout.url}/jobs?since={quote(row['since'], safe='')}")
    visit.shows_jobs(stored.ids(lookout.client, f"since={row['since']}"))
