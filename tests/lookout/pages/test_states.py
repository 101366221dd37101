"""What a page says while it loads, when there is nothing, when it cannot have something, and when it may not."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests.lookout.pages import stored
from tests.lookout.pages.conftest import Opens
from tests.lookout.pages.happened import failure_now, messages
from tests.lookout.pages.looks import faults
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import Visit

pytestmark = BROWSER


@pytest.fixture(scope="module")
def new_lookout(shared_lookout: ServedLookout, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedLookout]:
    """One that has stored nothing. Beside the shared one, so that the browser is asked for first."""
    del shared_lookout
    served = ServedLookout(tmp_path_factory.mktemp("new"))
    served.start()
    yield served
    served.end()


@pytest.mark.parametrize(
    ("address", "says"), [("/jobs", "Lookout has stored no job yet"), ("/", "Lookout has not stored anything yet")]
)
def test_a_lookout_without_data_says_what_brings_it(
    new_lookout: ServedLookout, open_visit: Opens, address: str, says: str
) -> None:
    visit = open_visit(new_lookout)
    visit.go(address)

    expect(visit.page.locator("main")).to_contain_text(says)
    assert faults(visit.page) == []


def test_while_rows_are_loaded_their_place_is_kept(visit: Visit, lookout: ServedLookout) -> None:
    held: list[Route] = []
    is_held = True

    def hold(route: Route) -> None:
        held.append(route) if is_held else route.continue_()

    visit.page.route("**/api/v1/jobs?*", hold)
    visit.page.goto(f"{lookout.url}/jobs")
    expect(visit.page.get_by_role("status", name="Jobs are loaded")).to_be_visible()
    assert faults(visit.page) == []
    is_held = False
    for route in held:
        route.continue_()

    visit.shows_jobs(stored.ids(lookout.client))


def test_without_a_match_each_filter_can_be_left_out(visit: Visit, lookout: ServedLookout) -> None:
    visit.go("/jobs?state=still-failed&queue=no-such-queue")
    visit.shows("No job fits all of this")
    visit.page.get_by_role("button", name="without queue").click()

    visit.shows_jobs(stored.ids(lookout.client, "state=still-failed"))


def test_a_lookout_without_a_scheduler_says_what_lets_people_ask_it(visit: Visit, lookout: ServedLookout) -> None:
    submitted = next(job for job in stored.jobs(lookout.client, "state=still-failed", limit=50) if job["state"])
    visit.go(f"/jobs/{submitted['jobId']}")

    visit.shows("api.scheduler")


def test_where_no_log_is_kept_the_setting_is_named(visit: Visit, lookout: ServedLookout) -> None:
    lookout.publish(messages(failure_now("without-log")))
    visit.go("/jobs?queue=ml")
    expect(visit.page.locator("tr[data-job='without-log']")).to_have_count(1)
    visit.go("/jobs/without-log")

    visit.shows("logTails.namespaces")


def test_a_database_that_is_gone_is_said_and_asked_again(
    new_lookout: ServedLookout, open_visit: Opens, tmp_path: Path
) -> None:
    visit = open_visit(new_lookout)
    visit.go("/jobs")
    with visit.watch.expecting(r"status of 5\d\d"):
        new_lookout.database.rename(tmp_path / "away")
        visit.button("Recovered").click()
        expect(visit.page.get_by_role("alert")).to_contain_text("database", ignore_case=True)
        (tmp_path / "away").rename(new_lookout.database)
        visit.button("Ask again").click()
        visit.shows("No job fits all of this")
