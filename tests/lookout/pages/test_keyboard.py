"""Everything can be done without a mouse: one sees where one is, and the keys that the page names work."""

import re

from playwright.sync_api import expect

from tests.lookout.pages import stored
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import Visit

pytestmark = BROWSER

FOCUSED = """async () => {
    const element = document.activeElement, box = element.getBoundingClientRect();
    const around = [element, element.parentElement, element.parentElement.parentElement];
    const look = async () => {
        await Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
        const styles = around.map((part) => getComputedStyle(part));
        const marks = ["outlineStyle", "outlineWidth", "borderColor", "borderWidth", "boxShadow", "backgroundColor"];
        return JSON.stringify(styles.map((style) => marks.map((mark) => style[mark])));
    };
    const focused = await look();
    element.blur();
    const isMarked = focused !== (await look());
    element.focus();
    return { name: element.ariaLabel || element.labels?.[0]?.textContent || element.textContent.trim(), isMarked,
        isVisible: box.width > 0 && box.right > 0 && box.left < innerWidth };
}"""
"""How the element that has the focus is called, and whether it, or what is around it, looks other than without."""

STEPS = 30


def test_the_first_key_leads_past_the_header(visit: Visit) -> None:
    visit.go("/jobs")
    visit.page.keyboard.press("Tab")
    expect(visit.page.get_by_role("link", name="Skip to the page")).to_be_focused()
    visit.page.keyboard.press("Enter")

    expect(visit.page.locator("#main")).to_be_focused()


def test_one_sees_where_one_is(visit: Visit) -> None:
    visit.go("/jobs?state=still-failed")
    steps = []
    for _ in range(STEPS):
        visit.page.keyboard.press("Tab")
        steps.append(visit.page.evaluate(FOCUSED))

    assert [step["name"] for step in steps if not (step["isMarked"] and step["isVisible"])] == []
    assert len({step["name"] for step in steps}) > STEPS / 3


def test_a_job_is_found_opened_and_closed_by_keys_alone(visit: Visit, lookout: ServedLookout) -> None:
    query = "state=still-failed&keyLine.contains=socket"
    visit.go("/jobs?state=still-failed")
    keyboard = visit.page.keyboard
    keyboard.press("/")
    expect(visit.field("Key line contains")).to_be_focused()
    keyboard.type("socket")
    keyboard.press("Enter")
    expected = stored.ids(lookout.client, query)
    visit.shows_jobs(expected)
    visit.page.evaluate("document.activeElement.blur()")
    for key in ("j", "j", "j", "k"):
        keyboard.press(key)
    link = visit.page.locator(f"tr[data-job='{expected[1]}'] [data-row]")
    expect(link).to_be_focused()
    keyboard.press("Enter")
    expect(visit.panel).to_contain_text(expected[1])
    visit.settle()

    assert visit.panel.evaluate("(panel) => panel.contains(document.activeElement)")
    keyboard.press("Escape")
    expect(visit.panel).to_have_count(0)
    expect(link).to_be_focused()


def test_the_keys_of_rows_lead_on_from_an_open_job(visit: Visit, lookout: ServedLookout) -> None:
    """Also from what goes with the job that was open; not where somebody types."""
    query = "state=still-failed"
    first, second, third = stored.ids(lookout.client, query, limit=3)
    visit.go(f"/jobs?{query}&open={first}")
    visit.panel.get_by_role("button", name="Copy the answer").focus()
    for key, shown in (("j", second), ("j", third), ("k", second)):
        visit.page.keyboard.press(key)
        expect(visit.panel).to_contain_text(f"Job {shown} as a page")
        assert visit.panel.evaluate("(panel) => panel.contains(document.activeElement)")
    visit.button("Wrong category?").first.click()
    visit.panel.get_by_label("Right category").press_sequentially("job")
    expect(visit.panel).to_contain_text(f"Job {second} as a page")
    visit.page.keyboard.press("Escape")
    visit.page.keyboard.press("Escape")

    expect(visit.page.locator(f"tr[data-job='{second}'] [data-row]")).to_be_focused()


def test_the_keys_are_listed(visit: Visit) -> None:
    visit.go("/jobs")
    visit.page.keyboard.press("?")

    keys = visit.page.get_by_role("dialog")
    expect(keys).to_contain_text("the next row")
    visit.page.keyboard.press("Escape")
    expect(keys).to_have_count(0)


def test_groups_open_by_keys(visit: Visit) -> None:
    visit.go("/jobs?group=queue,category&since=7d")
    visit.page.keyboard.press("j")
    toggle = visit.page.locator("ul.groups [aria-expanded]").first
    visit.page.keyboard.press("ArrowRight")
    expect(toggle).to_have_attribute("aria-expanded", "true")
    visit.page.keyboard.press("ArrowLeft")

    expect(toggle).to_have_attribute("aria-expanded", "false")


def test_a_sort_is_pressed(visit: Visit, lookout: ServedLookout) -> None:
    visit.go("/jobs?state=still-failed")
    heading = visit.page.get_by_role("columnheader", name=re.compile("Queue")).get_by_role("button").first
    heading.focus()
    visit.page.keyboard.press("Enter")

    visit.shows_jobs(stored.ids(lookout.client, "state=still-failed&sort=queue"))
