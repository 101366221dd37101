"""Each page opens by its address, says what it is, and leads on to the others."""

import re

import pytest
from msgspec.structs import replace
from playwright.sync_api import expect

from tests.lookout.pages import stored
from tests.lookout.pages.happened import failure_now, messages
from tests.lookout.pages.looks import faults
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import Visit
from tests.scheduler.path import wait_until

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

    expect(visit.page.get_by_role("heading", level=1)).to_contain_text(job["jobId"])
    expect(visit.page.get_by_text(stored.leaf(stored.failure_of(job))).first).to_be_visible()


@pytest.mark.parametrize("by", ["its name", "what failed"])
def test_a_tab_says_which_job_it_is_before_the_id(visit: Visit, lookout: ServedLookout, by: str) -> None:
    """Of the id it has the ends, because many begin alike."""
    jobs = stored.jobs(lookout.client, "state=recovered", limit=50)
    job = next(job for job in jobs if bool(job["name"] or job["clientId"]) == (by == "its name"))
    visit.go(f"/jobs/{job['jobId']}")
    title = visit.page.get_by_role("region", name="Why it failed").get_by_role("heading").first
    called = job["name"] or job["clientId"] or title.inner_text()

    expect(visit.page).to_have_title(f"{called} · {job['jobId'][:4]}…{job['jobId'][-8:]}")


def test_a_run_by_its_id_alone(visit: Visit, lookout: ServedLookout) -> None:
    (job,) = stored.jobs(lookout.client, "state=recovered", limit=1)
    run = stored.failure_of(job)
    visit.go(f"/runs/{run['runId']}")

    expect(visit.page.get_by_role("heading", level=1)).to_contain_text(run["runId"])
    expect(visit.page.get_by_text(run["keyLine"]).first).to_be_visible()
    visit.page.get_by_role("link", name=re.compile(f"job {job['jobId']}")).click()
    expect(visit.page).to_have_url(re.compile(f"/jobs/{job['jobId']}$"))


@pytest.mark.parametrize("known", ["client id", "run id", "pod name"])
@pytest.mark.parametrize("page", ["jobs", "runs"])
def test_a_job_by_what_else_it_is_known_by(visit: Visit, lookout: ServedLookout, page: str, known: str) -> None:
    """The id of a run is no other on the page of runs; instead the job's own is asked for there."""
    job = next(job for job in stored.jobs(lookout.client, "state=recovered", limit=50) if job["clientId"])
    run = stored.failure_of(job)
    ids = {"client id": job["clientId"], "run id": run["runId"], "pod name": run["podName"]}
    visit.watch.expect("status of 404")
    visit.go(f"/{page}/{job['jobId'] if (page, known) == ('runs', 'run id') else ids[known]}")

    arrived = f"/runs/{run['runId']}" if (page, known) == ("runs", "pod name") else f"/jobs/{job['jobId']}"
    opened = f"?run={run['runId']}" if page == "jobs" and known != "client id" else ""
    expect(visit.page).to_have_url(f"{lookout.url}{arrived}{opened}")
    expect(visit.page.get_by_text(stored.leaf(run)).first).to_be_visible()


def test_jobs_whose_pods_have_one_name_are_listed_to_choose_from(visit: Visit, lookout: ServedLookout) -> None:
    told = [failure_now(job) for job in ("first-job", "second-job")]
    lookout.publish(messages(*(replace(failed, pod=replace(failed.pod, name="worker-0")) for failed in told)))
    wait_until(lambda: len(stored.ids(lookout.client, "podName=worker-0")) == 2)
    visit.watch.expect("status of 404")
    visit.go("/jobs/worker-0")
    known = visit.page.get_by_role("alert").get_by_role("listitem")

    expect(known).to_have_count(2)
    assert faults(visit.page) == []
    known.filter(has_text="run-first-job").get_by_role("link").click()
    expect(visit.page).to_have_url(f"{lookout.url}/runs/run-first-job")


@pytest.mark.parametrize("name", ["Jobs", "Overview"])
def test_every_page_leads_to_the_others(visit: Visit, lookout: ServedLookout, name: str) -> None:
    (job_id,) = stored.ids(lookout.client, limit=1)
    visit.go(f"/jobs/{job_id}")
    visit.page.get_by_role("navigation", name="Pages").get_by_role("link", name=name).click()
    visit.settle()

    expect(visit.page.get_by_role("heading", level=1)).to_have_text(name)
