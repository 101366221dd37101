"""What people ask from a page: a real scheduler does it, and the page shows what came of it; corrections are kept."""

import json
import re
from collections.abc import Iterator
from itertools import product

import pytest
import yaml
from playwright.sync_api import Locator, expect

from tests.lookout.api.scheduler.fronting import BASE
from tests.lookout.pages import stored
from tests.lookout.pages.conftest import Opens
from tests.lookout.pages.looks import SCHEMES, WIDTHS, faults, small
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import Visit
from tests.manifests.resource.documents import queue
from tests.scheduler.path import wait_until
from tests.scheduler.process import SchedulerProcess, write_settings
from tests.servers.ports import free_ports

pytestmark = BROWSER

JOBS = """\
queue: asked
jobSetId: nightly
jobs:
- {namespace: a, podSpec: {containers: [{name: main, image: "a:1", env: [{name: API_KEY, value: hunter2}]}]}}
- {namespace: a, podSpec: {restartPolicy: Never, containers: [{name: main, image: "a:1"}]}}
"""


@pytest.fixture(scope="module")
def scheduled(shared_lookout: ServedLookout, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedLookout]:
    """A Lookout in front of a scheduler without clusters: jobs wait. After the shared one, which needs a browser."""
    del shared_lookout
    folder = tmp_path_factory.mktemp("scheduler")
    (port,) = free_ports(1)
    scheduler = SchedulerProcess(write_settings(folder, api={"port": port}), log=folder / "scheduler.log")
    served = ServedLookout(
        tmp_path_factory.mktemp("scheduled"), broker_url=f"sqlite:///{folder}/log.db", scheduler=f"127.0.0.1:{port}"
    )
    try:
        wait_until(scheduler.is_ready)
        served.start()
        yield served
    finally:
        served.end()
        scheduler.end()


@pytest.fixture(scope="module")
def job_ids(scheduled: ServedLookout) -> list[str]:
    """Two jobs that wait."""
    client = scheduled.client
    assert client.post(f"{BASE}/resources/create", {"text": queue("asked")}).status == 200
    results = client.post(f"{BASE}/jobs/submit", {"text": JOBS}, failure_agent_user="ann").json["results"]
    found = [result["jobId"] for result in results]
    wait_until(lambda: set(stored.ids(client)) == set(found))
    return found


@pytest.fixture
def visit(scheduled: ServedLookout, open_visit: Opens) -> Visit:
    """A window on the pages of the Lookout that has a scheduler."""
    return open_visit(scheduled)


def test_a_job_that_waits_says_why(visit: Visit, job_ids: list[str], scheduled: ServedLookout) -> None:
    standing = scheduled.client.post(f"{BASE}/jobs/standing", {"jobIds": job_ids}).json["jobs"]
    visit.go(f"/jobs/{job_ids[0]}")

    expect(visit.page.locator("main")).to_contain_text(standing[0]["wait"][1:])
    assert faults(visit.page) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_pod_is_shown_as_it_was_submitted_without_secrets(
    scheduled: ServedLookout, open_visit: Opens, job_ids: list[str], scheme: str
) -> None:
    visit = open_visit(scheduled, color_scheme=scheme)
    visit.go(f"/jobs/{job_ids[0]}")
    visit.button("Show the YAML").click()

    shown = visit.page.get_by_role("region", name="What was submitted")
    expect(shown).to_contain_text("kind: Pod")
    expect(shown).to_contain_text("image: a:1")
    expect(shown).to_contain_text("spec.containers[0].env[0].value")
    expect(shown).not_to_contain_text("hunter2")
    expect(shown.locator(".yaml-key").filter(has_text=re.compile("^kind$")).first).to_be_visible()
    assert faults(visit.page) == []


@pytest.mark.usefixtures("job_ids")
def test_a_long_pod_opens_at_once_and_keys_lead_past_it(visit: Visit, scheduled: ServedLookout) -> None:
    job = yaml.safe_load(JOBS)
    container = job["jobs"][0]["podSpec"]["containers"][0]
    container["env"] = [{"name": f"V{number}", "value": f"{number}"} for number in range(600)]
    answer = scheduled.client.post(f"{BASE}/jobs/submit", {"text": json.dumps(job)}, failure_agent_user="ann")
    job_id = answer.json["results"][0]["jobId"]
    wait_until(lambda: job_id in stored.ids(scheduled.client))
    visit.go(f"/jobs/{job_id}")
    visit.button("Show the YAML").click()
    lines = visit.page.get_by_label("The pod as it was submitted", exact=True)
    expect(lines.locator(".yaml-key").nth(1_200)).to_be_attached()
    lines.focus()
    visit.page.keyboard.press("Tab")

    expect(lines).not_to_be_focused()


def test_what_would_happen_is_shown_first_and_can_be_left(visit: Visit, job_ids: list[str]) -> None:
    visit.go(f"/jobs/{job_ids[0]}")
    visit.button("Cancel").click()
    asked = visit.page.get_by_role("region", name="Cancel")
    expect(asked).to_contain_text("The job would end as cancelled")
    visit.settle()
    assert faults(visit.page) == []
    visit.button("Leave it").click()

    expect(asked).to_have_count(0)
    expect(visit.page.locator("main")).not_to_contain_text("cancelled")


@pytest.mark.parametrize("request_name", ["Retry", "Never retry", "Cancel"])
def test_what_is_asked_can_be_read_and_touched(visit: Visit, job_ids: list[str], request_name: str) -> None:
    visit.go(f"/jobs?open={job_ids[1]}")
    visit.button(request_name).click()
    asked = visit.panel.get_by_role("region", name=request_name, exact=True)
    leave = asked.get_by_role("button", name="Leave it")
    expect(leave).to_be_visible()
    visit.page.keyboard.press("Tab")
    leave.focus()
    found = {}
    for scheme, (width, height) in product(SCHEMES, WIDTHS.items()):
        visit.page.emulate_media(color_scheme=scheme)
        visit.page.set_viewport_size({"width": width, "height": height})
        visit.settle()
        visit.keep(f"asking, {request_name}-{scheme}-{width}")
        # Fingers are for narrow windows.
        found[scheme, width] = [*faults(visit.page), *(small(visit.page) if width < 900 else [])]
        assert leave.evaluate("(button) => getComputedStyle(button).outlineStyle") == "solid"

    assert {place: wrong for place, wrong in found.items() if wrong} == {}


def test_never_retry_is_kept_with_who_asked_and_why(visit: Visit, job_ids: list[str]) -> None:
    visit.go(f"/jobs?open={job_ids[1]}")
    visit.button("Never retry").click()
    visit.panel.get_by_label("Why (kept with the job)").fill("the data is broken")
    visit.panel.get_by_label("Your name").fill("ada")
    visit.button("Never retry now").click()

    requests = visit.panel.get_by_role("region", name="What people asked")
    expect(requests).to_contain_text("the data is broken")
    expect(requests).to_contain_text("ada")


def test_a_job_is_cancelled_and_the_list_follows(
    visit: Visit, scheduled: ServedLookout, open_visit: Opens, job_ids: list[str]
) -> None:
    other = open_visit(scheduled)
    other.go("/jobs?state=cancelled")
    visit.go(f"/jobs?open={job_ids[0]}")
    visit.button("Cancel").click()
    visit.panel.get_by_label("Your name").fill("ada")
    visit.button("Cancel now").click()

    expect(visit.panel).to_contain_text("Done: the job is cancelled")
    other.shows_jobs([job_ids[0]])


def test_what_the_scheduler_refuses_is_said(visit: Visit, job_ids: list[str]) -> None:
    visit.go(f"/jobs/{job_ids[1]}")
    visit.button("Retry").click()

    expect(visit.page.get_by_role("region", name="Retry", exact=True)).to_contain_text("would refuse this")
    expect(visit.button("Retry now")).to_have_count(0)


def test_a_wrong_category_is_corrected(lookout: ServedLookout, open_visit: Opens) -> None:
    visit = open_visit(lookout)
    (job,) = stored.jobs(lookout.client, "state=still-failed", limit=1)
    run_id = stored.failure_of(job)["runId"]
    visit.go(f"/runs/{run_id}")
    visit.button("Wrong category?").first.click()
    form = visit.page.get_by_role("form", name="Wrong category?")
    form.get_by_role("button", name="Keep the correction").click()
    expect(form).to_contain_text("Name the right category")
    form.get_by_label("Right category").fill("memory/leak")
    form.get_by_label("Whose fault it was").select_option("user")
    form.get_by_label("How one can see that").fill("it grows by 1 GiB a minute")
    form.get_by_label("Your name").fill("ada")
    form.get_by_role("button", name="Keep the correction").click()

    corrections = visit.page.get_by_role("region", name="Corrections")
    for words in ("memory/leak", "it grows by 1 GiB a minute", "ada"):
        expect(corrections).to_contain_text(words)
    (kept, *_) = lookout.client.get(f"/api/v1/corrections?runId={run_id}").json["items"]
    assert (kept["category"], kept["subcategory"], kept["origin"]) == ("memory", "leak", "user")


def test_a_category_is_corrected_beside_its_name(lookout: ServedLookout, open_visit: Opens) -> None:
    """The one in the answer, and that of each earlier attempt: what opens stands there, and what is left leads back."""
    visit = open_visit(lookout)
    job = next(job for job in stored.jobs(lookout.client, "state=still-failed", limit=50) if job["failedRunCount"] > 1)
    visit.go(f"/jobs?open={job['jobId']}")
    panel = visit.panel
    expect(panel.get_by_role("button", name="Wrong category?")).to_have_count(job["failedRunCount"])
    answer = panel.get_by_role("region", name="Why it failed")
    attempts = panel.get_by_role("region", name="attempts").get_by_role("listitem")
    for place in (answer, attempts.filter(has=visit.button("Wrong category?")).first):
        button = place.get_by_role("button", name="Wrong category?").first
        chip = place.locator(".chip").first
        assert abs(middle(button) - middle(chip)) < 4
        button.click()
        form = place.get_by_role("form", name="Wrong category?")
        expect(form.get_by_label("Right category")).to_be_visible()
        form.get_by_role("button", name="Leave it").click()
        expect(button).to_be_focused()


def middle(part: Locator) -> float:
    box = part.bounding_box()
    assert box is not None
    return box["y"] + box["height"] / 2
