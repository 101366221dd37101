"""The job beside the list: why it failed in a sentence, every attempt with the verdict on it, and all the evidence."""

import re

import pytest
from playwright.sync_api import expect

from tests.lookout.pages import stored
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import Visit

pytestmark = BROWSER

RECOVERED = "state=recovered"
EVIDENCE = ("Containers", "What it wrote", "Warning events", "Why this category", "Node and pod", "Missing evidence")


@pytest.fixture
def job(lookout: ServedLookout) -> stored.Json:
    """One that failed, was run again and succeeded."""
    (found,) = stored.jobs(lookout.client, RECOVERED, limit=1)
    return found


def test_a_row_opens_its_job_and_closing_leads_back_to_the_row(visit: Visit, job: stored.Json) -> None:
    visit.go(f"/jobs?{RECOVERED}")
    link = visit.page.locator(f"tr[data-job='{job['jobId']}'] [data-row]")
    link.click()
    expect(visit.panel).to_be_visible()
    visit.settle()
    assert visit.address == f"/jobs?open={job['jobId']}&{RECOVERED}"

    visit.page.keyboard.press("Escape")
    expect(visit.panel).to_have_count(0)
    assert visit.address == f"/jobs?{RECOVERED}"
    expect(link).to_be_focused()


def test_its_address_opens_it_and_back_closes_it(visit: Visit, job: stored.Json) -> None:
    visit.go(f"/jobs?{RECOVERED}")
    visit.go(f"/jobs?open={job['jobId']}&{RECOVERED}")
    expect(visit.panel).to_contain_text(job["jobId"])
    visit.reload()
    expect(visit.panel).to_contain_text(job["jobId"])
    visit.back()

    expect(visit.panel).to_have_count(0)


def test_it_leads_to_the_rows_around_and_back_closes_it(visit: Visit, lookout: ServedLookout) -> None:
    """However many jobs were looked at, the list is one step back."""
    first, second, third = stored.ids(lookout.client, RECOVERED, limit=3)
    visit.go(f"/jobs?{RECOVERED}")
    visit.page.locator(f"tr[data-job='{first}'] [data-row]").click()
    expect(visit.button("Previous")).to_be_disabled()
    for shown, button in ((second, "Next"), (third, "Next"), (second, "Previous")):
        visit.button(button).click()
        expect(visit.panel).to_contain_text(f"Job {shown} as a page")
        expect(visit.button(button)).to_be_focused()
        expect(visit.page.locator("tr[aria-current]")).to_have_attribute("data-job", shown)
        assert visit.address == f"/jobs?open={shown}&{RECOVERED}"
    expect(visit.panel).to_contain_text("Row 2 of ")
    visit.back()

    expect(visit.panel).to_have_count(0)
    assert visit.address == f"/jobs?{RECOVERED}"


def test_at_the_end_of_what_is_loaded_it_loads_more(visit: Visit, lookout: ServedLookout) -> None:
    *_, last, more = stored.ids(lookout.client, RECOVERED, limit=51)
    visit.go(f"/jobs?open={last}&{RECOVERED}")
    visit.button("Next").click()

    expect(visit.panel).to_contain_text(f"Job {more} as a page")


def test_at_the_end_of_the_list_it_leads_no_further(visit: Visit, lookout: ServedLookout, job: stored.Json) -> None:
    alike = f"fingerprint={stored.failure_of(job)['fingerprint']}"
    *_, last = found = stored.ids(lookout.client, alike, limit=50)
    assert 1 < len(found) < 50
    visit.go(f"/jobs?{alike}&open={last}")

    expect(visit.button("Next")).to_be_disabled()
    expect(visit.button("Previous")).to_be_enabled()
    visit.button("Next").press("Enter")
    expect(visit.panel).to_contain_text(f"Row {len(found)} of {len(found)}")


def test_the_answer_is_first_and_in_a_sentence(visit: Visit, lookout: ServedLookout, job: stored.Json) -> None:
    history = lookout.client.get(f"/api/v1/jobs/{job['jobId']}").json
    run = next(attempt for attempt in history["attempts"] if attempt["answer"])
    answer = run["answer"]
    visit.go(f"/jobs?open={job['jobId']}")

    card = visit.panel.get_by_role("region", name="Why it failed")
    leaf = "/".join(filter(None, (run["category"], run["subcategory"])))
    title = answer["categoryInWords"].removesuffix(f" ({leaf})")
    expect(card.get_by_role("heading").first).to_have_text(re.compile(re.escape(title), re.IGNORECASE))
    expect(card).to_contain_text(leaf)
    expect(card).to_contain_text(answer["deciding"][1:60])
    likely = "likely " if answer["fault"].startswith("likely ") else ""
    expect(card).to_contain_text(f"Whose fault: {likely}{run['origin']}.")
    assert top(visit, "Why it failed") < top(visit, "Containers")


def top(visit: Visit, section: str) -> float:
    box = visit.panel.get_by_role("region", name=section).first.bounding_box()
    assert box is not None
    return box["y"]


def test_every_attempt_stays_the_latest_first_with_the_verdict_between(
    visit: Visit, lookout: ServedLookout, job: stored.Json
) -> None:
    history = lookout.client.get(f"/api/v1/jobs/{job['jobId']}").json
    (decision,) = next(attempt["decisions"] for attempt in history["attempts"] if attempt["decisions"])
    visit.go(f"/jobs?open={job['jobId']}")

    text = visit.panel.inner_text()
    places = [text.index(words) for words in ("Attempt 2", decision["sentence"][:30], "Attempt 1")]
    assert places == sorted(places)


def test_a_job_with_one_attempt_makes_no_list_of_attempts(visit: Visit, lookout: ServedLookout) -> None:
    jobs = stored.jobs(lookout.client, "state=succeeded", limit=50)
    only = next(job for job in jobs if job["runCount"] == 1)
    visit.go(f"/jobs?open={only['jobId']}")

    expect(visit.panel).to_contain_text(only["jobId"])
    expect(visit.panel).not_to_contain_text(re.compile(r"Attempt \d"))


def test_the_verdict_says_policy_rule_and_what_it_costs(visit: Visit, job: stored.Json) -> None:
    run = stored.failure_of(job)
    visit.go(f"/jobs?open={job['jobId']}")

    verdict = visit.panel.locator(".verdict").first
    expect(verdict).to_contain_text(run["policy"])
    expect(verdict).to_contain_text(run["rule"])
    expect(verdict).to_contain_text(run["node"])
    expect(verdict).to_contain_text("before the next attempt")


def test_whether_it_runs_again_stands_below_the_answer(visit: Visit, lookout: ServedLookout) -> None:
    jobs = stored.jobs(lookout.client, "state=still-failed&action=fail", limit=50)
    job = next(job for job in jobs if job["runCount"] > 1)
    decision = lookout.client.get(f"/api/v1/jobs/{job['jobId']}").json["attempts"][0]["decisions"][-1]
    visit.go(f"/jobs?open={job['jobId']}")

    latest = visit.panel.locator(".verdict").first
    expect(latest).to_contain_text(f"After attempt {job['runCount']}, the latest: {decision['sentence'][:30]}")
    attempts = visit.panel.get_by_role("region", name="attempts")
    expect(attempts).not_to_contain_text(f"After attempt {job['runCount']}")
    boxes = [part.bounding_box() for part in (latest, visit.panel.locator(".facts").first, attempts)]
    tops = [box["y"] for box in boxes if box is not None]
    assert tops == sorted(tops)
    assert top(visit, "Why it failed") < tops[0]


def test_an_answer_leads_to_the_jobs_that_failed_alike(visit: Visit, lookout: ServedLookout, job: stored.Json) -> None:
    alike = f"fingerprint={stored.failure_of(job)['fingerprint']}"
    visit.go(f"/jobs/{job['jobId']}")
    visit.page.get_by_role("link", name=f"{stored.count(lookout.client, alike)} jobs failed like this").click()

    visit.shows_jobs(stored.ids(lookout.client, alike))


def test_an_answer_leads_to_the_failures_of_its_node(visit: Visit, lookout: ServedLookout, job: stored.Json) -> None:
    run = stored.failure_of(job)
    visit.go(f"/jobs/{job['jobId']}")
    answer = visit.page.get_by_role("region", name="Why it failed")
    answer.get_by_role("link", name=run["node"], exact=True).click()

    query = f"node={run['node']}&cluster={run['cluster']}&state=any-failure"
    visit.shows_jobs(stored.ids(lookout.client, query))


@pytest.mark.parametrize(("shown", "column"), [("Queue", "queue"), ("Job set", "jobSet"), ("Owner", "owner")])
def test_what_jobs_share_leads_to_them(
    visit: Visit, lookout: ServedLookout, job: stored.Json, shown: str, column: str
) -> None:
    visit.go(f"/jobs/{job['jobId']}")
    fact = visit.page.locator(".facts > div").filter(has=visit.page.get_by_text(shown, exact=True))
    fact.get_by_role("link", name=job[column], exact=True).click()

    visit.shows_jobs(stored.ids(lookout.client, f"{column}={job[column]}"))


def test_all_the_evidence_is_there_though_the_pod_is_gone(
    visit: Visit, lookout: ServedLookout, job: stored.Json
) -> None:
    run = stored.failure_of(job)
    info = lookout.client.get(f"/api/v1/runs/{run['runId']}").json["failures"][0]["info"]
    visit.go(f"/jobs?open={job['jobId']}")

    for name in EVIDENCE:
        expect(visit.panel.get_by_role("region", name=name)).to_be_visible()
    containers = visit.panel.get_by_role("region", name="Containers")
    for container in info["pod"]["containers"]:
        expect(containers).to_contain_text(container["name"])
    expect(containers).to_contain_text(f"exit {run['exitCode']}")
    expect(visit.panel.get_by_role("region", name="What it wrote")).to_contain_text(run["keyLine"][:40])
    expect(visit.panel.get_by_role("region", name="Node and pod")).to_contain_text(info["pod"]["phase"])
    expect(visit.panel.get_by_role("region", name="Why this category")).to_contain_text("Revision of the rules")


def test_the_panel_is_widened_by_its_edge_and_stays_so(visit: Visit, job: stored.Json) -> None:
    visit.go(f"/jobs?open={job['jobId']}")
    edge = visit.panel.get_by_role("separator", name="Width of the panel")
    before = width_of(visit)
    edge.focus()
    visit.page.keyboard.press("ArrowLeft")
    by_key = width_of(visit)
    box = edge.bounding_box()
    assert box is not None
    visit.page.mouse.move(box["x"] + 2, 300)
    visit.page.mouse.down()
    visit.page.mouse.move(box["x"] + 202, 300, steps=4)
    visit.page.mouse.up()
    dragged = width_of(visit)
    visit.reload()

    assert before < by_key
    assert dragged == pytest.approx(by_key - 200, abs=5)
    assert width_of(visit) == dragged


def width_of(visit: Visit) -> float:
    visit.settle()
    box = visit.panel.bounding_box()
    assert box is not None
    return box["width"]


def test_a_panel_leads_to_the_page_of_its_job(visit: Visit, job: stored.Json) -> None:
    visit.go(f"/jobs?open={job['jobId']}")
    visit.panel.get_by_role("link", name=re.compile("as a page")).click()

    expect(visit.page).to_have_url(re.compile(f"/jobs/{job['jobId']}$"))
    expect(visit.page.get_by_role("heading", level=1)).to_contain_text(job["jobId"])
