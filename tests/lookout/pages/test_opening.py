"""Each page opens by its address, says what it is, and leads on to the others."""

import re

import pytest
from playwright.sync_api import expect

from tests.lookout.pages import stored
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import Visit

pytestmark = BROWSER


def test_the_first_address_shows_a_page(visit: Visit) -> None:
    visit.go("/")

    expect(visit.page.get_by_role("heading", level=1)).to_have_count(1)
    expect(visit.page.get_by_role("navigation", name="Pages")).to_be_visible()


def test_the_list_of_jobs(visit: Visit, lookout: ServedLookout) -> None:
    visit.go("/jobs")

    expect(visit.page).to_have_title("Jobs")
    visit.shows_jobs(stored.ids(lookout.client))


def test_a_job_by_its_id_alone(visit: Visit, lookout: ServedLookout) -> None:
    (job,) = stored.jobs(lookout.client, "state=recovered", limit=1)
    visit.go(f"/jobs/{job['jobId']}")

    expect(visit.page).to_have_title(re.compile(job["jobId"]))
    expect(visit.page.get_by_role("heading", level=1)).to_contain_text(job["jobId"])
    expect(visit.page.get_by_text(stored.leaf(stored.failure_of(job))).first).to_be_visible()


def test_a_run_by_its_id_alone(visit: Visit, lookout: ServedLookout) -> None:
    (job,) = stored.jobs(lookout.client, "state=recovered", limit=1)
    run = stored.failure_of(job)
    visit.go(f"/runs/{run['runId']}")

    expect(visit.page.get_by_role("heading", level=1)).to_contain_text(run["runId"])
    expect(visit.page.get_by_text(run["keyLine"]).first).to_be_visible()
    visit.page.get_by_role("link", name=re.compile(f"job {job['jobId']}")).click()
    expect(visit.page).to_have_url(re.compile(f"/jobs/{job['jobId']}$"))


@pytest.mark.parametrize("name", ["Jobs", "Overview"])
def test_every_page_leads_to_the_others(visit: Visit, lookout: ServedLookout, name: str) -> None:
    (job_id,) = stored.ids(lookout.client, limit=1)
    visit.go(f"/jobs/{job_id}")
    visit.page.get_by_role("navigation", name="Pages").get_by_role("link", name=name).click()
    visit.settle()

    expect(visit.page.get_by_role("heading", level=1)).to_have_text(name)
