"""Whatever an address or the browser's storage says, a page opens and says what it could not use."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.lookout.pages import stored
from tests.lookout.pages.conftest import Opens
from tests.lookout.pages.looks import SCHEMES, faults
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import Visit
from tests.tables import table

pytestmark = BROWSER

ADDRESSES = {row["address"]: row.get("says", "") for row in table(Path(__file__).parent / "junk.yaml")}
REFUSED = r"status of 4\d\d"
"""A browser notes that an id is not known."""


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_that_no_page_wrote(visit: Visit, address: str) -> None:
    visit.watch.expect(REFUSED)
    visit.go(address)

    expect(visit.page.locator("body")).to_contain_text(ADDRESSES[address], ignore_case=True)
    expect(visit.page.get_by_text("This page has a fault")).to_have_count(0)


def test_an_address_with_more_values_than_anybody_chooses(visit: Visit) -> None:
    visit.go("/jobs?" + "&".join(f"queue={number}" for number in range(1_000)))

    visit.shows("ignored")


@pytest.mark.parametrize("kibibytes", [20, 500])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_address_that_is_too_long_says_so_and_leads_on(
    lookout: ServedLookout, open_visit: Opens, kibibytes: int, scheme: str
) -> None:
    visit = open_visit(lookout, color_scheme=scheme)
    visit.watch.expect(r"status of 414|/favicon.ico")
    visit.go(f"/jobs?queue={'x' * (kibibytes << 10)}")

    expect(visit.page.get_by_role("heading", level=1)).to_contain_text("too long")
    expect(visit.page.locator("main")).to_contain_text("filter by fewer values")
    assert faults(visit.page) == []
    visit.page.get_by_role("link", name="All jobs").click()
    expect(visit.page).to_have_title("Jobs")


def test_what_was_ignored_is_taken_out_of_the_address(visit: Visit, lookout: ServedLookout) -> None:
    visit.go("/jobs?state=still-failed&shoe=size&sort=sideways")
    visit.button("Take it out of the address").click()

    visit.shows_jobs(stored.ids(lookout.client, "state=still-failed"))
    assert visit.address == "/jobs?state=still-failed"


STORED = ["", "null", "{", "\u202e<script>", "x" * 100_000]


@pytest.mark.parametrize("junk", STORED, ids=lambda text: text[:5])
def test_what_the_browser_kept_is_junk(visit: Visit, lookout: ServedLookout, junk: str) -> None:
    visit.go("/jobs")
    visit.page.evaluate(
        """(junk) => { for (const name of ["mantine-color-scheme-value", "lookout.owner", "lookout.zone",
            "lookout.panel", ...Object.keys(localStorage)]) localStorage.setItem(name, junk); }""",
        junk,
    )
    visit.reload()

    visit.shows_jobs(stored.ids(lookout.client))
