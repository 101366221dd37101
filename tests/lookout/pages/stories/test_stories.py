"""What people want of the pages, from the proposal to categorise failures (armadaproject/armada#4713), step by step."""

import re
from collections import Counter
from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect

from agent.core.failure import Origin
from tests.lookout.pages.conftest import Opens
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.stories.conftest import Tells, Week
from tests.lookout.pages.stories.week import failures

pytestmark = BROWSER

GPU = "gpu/fallen-off-bus"


def failed_jobs(week: Week, *, days: float, category: str = "") -> set[str]:
    """The jobs of which a run failed, of those that were submitted within these days."""
    since = datetime.now(UTC) - timedelta(days=days)
    found = {
        event.identity.job_id
        for event, failure in failures(week.entries)
        if category in {"", failure.classification.category}
    }
    return {job_id for job_id in found if submitted(week)[job_id] >= since}


def submitted(week: Week) -> dict[str, datetime]:
    """When each job was first heard of."""
    return week.submitted


def test_jobs_are_filtered_and_searched_by_category(week: Week, tell: Tells) -> None:
    story = tell("filter-and-search-by-category")
    page, visit = story.page, story.visit
    expected = failed_jobs(week, days=7, category="gpu")

    with story.step("Open the jobs, and choose those that failed"):
        visit.go("/jobs?since=7d")
        visit.button("Any failure").click()
        expect(page).to_have_url(re.compile("state=any-failure"))
    with story.step("Filter them by the category gpu: each row has it, whoever owns the job"):
        page.get_by_role("combobox", name="Category").fill("gpu")
        page.get_by_role("combobox", name="Category").press("Enter")
        expect(page).to_have_url(re.compile("category=gpu"))
        expect(visit.rows.first.get_by_text(GPU)).to_be_visible()
        assert visit.rows.count() == visit.rows.filter(has_text=GPU).count() == len(expected)
    with story.step("Search their key lines: press / and type"):
        page.get_by_role("heading", level=1).click()
        page.keyboard.press("/")
        page.keyboard.type("fallen off the bus")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("keyLine.contains=fallen"))
        expect(visit.rows).to_have_count(len(expected))
    with story.step("Send the link to somebody: it shows the same"):
        address = visit.address
        visit.go("/jobs")
        visit.go(address)
        expect(visit.rows).to_have_count(len(expected))
        expect(page.get_by_role("group", name="Filters that are on")).to_contain_text("category: gpu")


def test_a_run_has_a_label_instead_of_an_exit_code(tell: Tells) -> None:
    story = tell("labels-instead-of-exit-codes")
    page, visit = story.page, story.visit

    with story.step("Look for jobs whose container exited with code 74"):
        visit.go("/jobs?exitCode=74")
        expect(visit.rows.first).to_contain_text("exit 74")
    with story.step("The row says what that was, and whose fault: no code to look up"):
        expect(visit.rows.first).to_contain_text(GPU)
        expect(visit.rows.first).to_contain_text("fault: infra")
    with story.step("Open it: one sentence says why it failed, and one what can be done"):
        visit.rows.first.get_by_role("link").first.click()
        answer = visit.panel.get_by_role("region", name="Why it failed")
        expect(answer).to_contain_text("Whose fault: infra.")
        expect(answer).to_contain_text("What can be done:")
    with story.step("Close it with Escape: the list is as it was"):
        page.keyboard.press("Escape")
        expect(visit.panel).to_be_hidden()
        expect(page).to_have_url(re.compile(r"/jobs\?exitCode=74$"))


def test_the_evidence_of_a_failure_is_there_when_its_pod_is_gone(tell: Tells) -> None:
    story = tell("evidence-of-a-failure")
    page, visit = story.page, story.visit

    with story.step("Open a job whose GPU broke, as a page of its own"):
        visit.go("/jobs?exitCode=74&state=recovered")
        visit.rows.first.get_by_role("link").first.click()
        visit.panel.get_by_role("link", name="as a page").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Job")
    with story.step("Did the user's code run, and which container failed?"):
        containers = page.get_by_role("region", name="Containers")
        expect(containers).to_contain_text("The user's code ran.")
        expect(containers).to_contain_text("(this one failed)")
        expect(containers).to_contain_text("exit 74")
    with story.step("The end of the stack trace: the line that names the error is marked"):
        wrote = page.get_by_role("region", name="What it wrote")
        expect(wrote.locator("mark").first).to_have_text("RuntimeError: CUDA error: GPU has fallen off the bus")
    with story.step("Warning events as a table"):
        events = page.get_by_role("region", name="Warning events")
        expect(events.get_by_role("cell", name="GPUHealthWarning")).to_be_visible()
    with story.step("The conditions of the node at that time, and its log"):
        node = page.get_by_role("region", name="Node and pod")
        expect(node).to_contain_text("No condition of the node says that something is wrong.")
        expect(node).to_contain_text("Xid (PCI:0000:41:00): 79")
    with story.step("Why this category: the rule that decided, and what it saw"):
        expect(page.get_by_role("region", name="Why this category")).to_contain_text("node: log")
    with story.step("Another job was evicted: its node had too little memory, so that was no fault of its user"):
        visit.go("/jobs?category=eviction/memory-pressure")
        visit.rows.first.get_by_role("link").first.click()
        node = visit.panel.get_by_role("region", name="Node and pod")
        expect(node.get_by_role("row", name="MemoryPressure")).to_contain_text("True")


def test_a_sidecar_that_failed_is_not_the_users_fault(tell: Tells) -> None:
    story = tell("which-container-failed")
    page, visit = story.page, story.visit

    with story.step("Find jobs by the container that failed: the proxy that the platform adds"):
        visit.go("/jobs?container=istio-proxy&state=recovered")
        expect(visit.rows.first).to_contain_text("istio-proxy: exit 137")
    with story.step("Open one: the user's container succeeded, the injected one failed"):
        visit.rows.first.get_by_role("link").first.click()
        visit.panel.get_by_role("link", name="as a page").click()
        containers = page.get_by_role("region", name="Containers")
        expect(containers.get_by_role("row", name="istio-proxy")).to_contain_text("injected")
        expect(containers.get_by_role("row", name=re.compile("^main"))).to_contain_text("exit 0")


def test_a_retry_is_explained(tell: Tells) -> None:
    story = tell("what-was-decided-and-why")
    page, visit = story.page, story.visit

    with story.step("Which jobs recovered by a retry?"):
        visit.go("/jobs?category=oom/container-limit&since=7d")
        visit.button("Recovered").click()
        expect(page).to_have_url(re.compile("state=recovered"))
        expect(visit.rows.first).to_contain_text("recovered")
    with story.step("Open one: each attempt, with the verdict between them"):
        visit.rows.first.get_by_role("link").first.click()
        visit.panel.get_by_role("link", name="as a page").click()
        expect(page.get_by_role("heading", name="2 attempts, 1 failed")).to_be_visible()
    with story.step("The verdict names the policy, the rule, the delay and the memory of the next run"):
        verdict = page.locator(".verdict").first
        expect(verdict).to_contain_text("policy research, rule 3 more-memory says Retry")
        expect(verdict).to_contain_text("Waits 10 s before the next attempt")
        expect(verdict).to_contain_text(re.compile(r"Memory of container main: .*limit \d+ GiB → \d+ GiB"))
    with story.step("Go back, and see which jobs have still failed, and why they were not retried again"):
        visit.go("/jobs?state=still-failed&category=oom/container-limit&since=7d")
        visit.rows.filter(has_text="3 failed").first.get_by_role("link").first.click()
        expect(visit.panel.locator(".verdict").first).to_contain_text("Fail")
        expect(visit.panel.locator(".verdict").first).to_contain_text("2 of 2")


def test_somebody_who_knows_better_says_so(week: Week, open_visit: Opens, tell: Tells) -> None:
    story = tell("correct-a-category")
    page, visit = story.page, story.visit

    with story.step("A job was stopped, and nobody knows by whom: its fault is unknown"):
        visit.go("/jobs?origin=unknown&since=7d")
        visit.rows.first.get_by_role("link").first.click()
        visit.panel.get_by_role("link", name="as a page").click()
        address = visit.address
    with story.step("Its owner does, and says so"):
        page.get_by_role("button", name="Wrong category?").first.click()
        page.get_by_role("combobox", name="Right category").fill("external/stopped")
        page.get_by_label("Whose fault it was").select_option("user")
        page.get_by_label("How one can see that").fill("I stopped it: the data was wrong")
        page.get_by_role("button", name="Keep the correction").click()
        visit.shows("Thank you")
    with story.step("Everybody sees it who opens the job"):
        other = open_visit(week.lookout)
        other.go(address)
        other.shows("I stopped it: the data was wrong")


def test_the_fault_of_this_weeks_failures(week: Week, tell: Tells) -> None:
    """What percentage of failures this week were infra, and what percentage were of users."""
    story = tell("whose-fault-this-week")
    page, visit = story.page, story.visit
    counts = Counter(failure.classification.origin for _, failure in failures(week.entries))
    whole, users = counts.total(), counts[Origin.USER]
    others = counts[Origin.INFRA] + counts[Origin.PLATFORM]

    with story.step("Open the overview of 7 days: it says so in figures, with what each is of"):
        visit.go("/")
        visit.button("7 days").click()
        in_short = page.get_by_role("list", name="In short")
        expect(in_short).to_contain_text(f"{others} of {whole} failed runs")
        expect(in_short).to_contain_text(f"{users} of {whole} failed runs")
        expect(in_short.get_by_role("listitem").filter(has_text="User")).to_contain_text(f"{100 * users / whole:.0f}")
    with story.step("Which nodes are worst? The one with the broken GPU leads"):
        nodes = page.get_by_role("region", name="Worst nodes").get_by_role("rowheader")
        expect(nodes.first).to_contain_text("gpu-17")
    with story.step("Follow a figure to the jobs behind it"):
        in_short.get_by_role("link", name="Infra and platform").click()
        expect(page).to_have_title("Jobs")
        expect(visit.rows.first).to_contain_text(re.compile("fault: (infra|platform)"))
        assert visit.rows.filter(has_text="fault: user").count() == 0
    with story.step("Go back: the overview is as it was"):
        visit.back()
        expect(page).to_have_url(re.compile("since=7d"))
        expect(in_short).to_contain_text(f"{others} of {whole} failed runs")
