"""An open page learns what happens, says how old it is, and can be stopped; a server that goes away comes back."""

from playwright.sync_api import Route, expect

from tests.lookout.pages import stored
from tests.lookout.pages.conftest import Opens
from tests.lookout.pages.happened import failure_now, messages
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import Visit
from tests.scheduler.path import wait_until

pytestmark = BROWSER

GONE = r"ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE"
"""What a browser notes of a server that is not there."""


def test_a_failure_appears_in_the_open_list(visit: Visit, lookout: ServedLookout) -> None:
    visit.go("/jobs?queue=ml")
    lookout.publish(messages(failure_now("live-1")))

    expect(visit.page.locator("tr[data-job='live-1']")).to_contain_text("oom")
    visit.shows("Updated")


def test_what_is_stored_before_the_page_listens_appears_too(visit: Visit, lookout: ServedLookout) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    visit.page.route("**/api/v1/changes*", hold)
    visit.go("/jobs?queue=ml")
    lookout.publish(messages(failure_now("unheard")))
    wait_until(lambda: "unheard" in stored.ids(lookout.client, "queue=ml"))
    expect(visit.page.locator("tr[data-job='unheard']")).to_have_count(0)
    for route in held:
        route.continue_()

    expect(visit.page.locator("tr[data-job='unheard']")).to_be_visible()


def test_it_appears_in_every_window(lookout: ServedLookout, open_visit: Opens) -> None:
    visits = [open_visit(lookout), open_visit(lookout)]
    for visit in visits:
        visit.go("/jobs?queue=ml&state=still-failed")
    lookout.publish(messages(failure_now("live-2")))

    for visit in visits:
        expect(visit.page.locator("tr[data-job='live-2']")).to_be_visible()


def test_a_page_that_is_paused_changes_when_it_goes_on(visit: Visit, lookout: ServedLookout) -> None:
    visit.go("/jobs?queue=ml")
    visit.button("Pause").click()
    lookout.publish(messages(failure_now("paused")))
    wait_until(lambda: "paused" in stored.ids(lookout.client, "queue=ml"))
    visit.page.get_by_role("button", name="Still failed").hover()

    expect(visit.page.locator("tr[data-job='paused']")).to_have_count(0)
    visit.button("Go on").click()
    expect(visit.page.locator("tr[data-job='paused']")).to_be_visible()


def test_the_page_of_a_job_follows_it(visit: Visit, lookout: ServedLookout) -> None:
    lookout.publish(messages(failure_now("followed")))
    wait_until(lambda: lookout.client.get("/api/v1/jobs/followed").status == 200)
    visit.go("/jobs/followed")
    expect(visit.page.get_by_role("button", name="Wrong category?")).to_be_visible()
    answer = lookout.client.post(
        "/api/v1/corrections",
        {
            "failureId": "event-followed",
            "category": "memory",
            "subcategory": "leak",
            "origin": "user",
            "reason": "seen",
        },
    )

    assert answer.status == 201, answer.text
    visit.shows("memory/leak")


def test_a_server_that_stops_is_said_and_one_that_comes_back_is_followed(visit: Visit, lookout: ServedLookout) -> None:
    visit.go("/jobs?queue=ml")
    expected = stored.ids(lookout.client, "queue=ml")
    with visit.watch.expecting(GONE):
        lookout.stop()
        visit.shows("Not live")
        visit.shows_jobs(expected)
        visit.button("Recovered").click()
        visit.shows("Lookout does not answer")
        lookout.start()
        visit.button("Ask again").click()
        visit.shows_jobs(stored.ids(lookout.client, "queue=ml&state=recovered"))
        visit.button("All jobs").click()
        expect(visit.page.get_by_text("Not live")).to_have_count(0)
    lookout.publish(messages(failure_now("after-the-stop")))

    expect(visit.page.locator("tr[data-job='after-the-stop']")).to_be_visible()
