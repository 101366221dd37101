"""Texts that mean harm, in every field that a pod or a person writes, stored as Lookout stores what agents send.

Nothing of them runs, asks another server, hides or reorders anything, or makes a page wider.
"""

from typing import Any, Final

from msgspec.structs import replace
from playwright.sync_api import expect

from agent.broker.port import Message
from agent.core.evidence import LogTail
from agent.core.run_event import RunEvent
from agent.core.summary.texts import TextPlace, rewrite
from tests.lookout.chaos.hostile import IDS, paths
from tests.lookout.pages.happened import failure_now, messages
from tests.lookout.pages.looks import faults
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import Visit
from tests.store.events import failed

pytestmark = BROWSER

MARKUP: Final = "<script>window.harmed=1</script><img src='http://192.0.2.1/x.png' onerror='window.harmed=1'>"
TERMINAL: Final = "\x1b[31mred\x1b[0m\x1b]8;;http://192.0.2.1\x07link\x1b]8;;\x07\r\x08"
TURNED: Final = "\u202egnp.exe\u2066\u200b\u2028"
LINK: Final = "javascript:window.harmed=1 data:text/html,<script>window.harmed=1</script>"
HARM: Final = f"{MARKUP} {LINK} {TERMINAL} {TURNED}"
LINE: Final = "x" * (64 * 1024)

RAW: Final = r"""() => {
    const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/;
    const texts = [document.title, document.body.textContent];
    for (const element of document.querySelectorAll("*"))
        for (const { name, value } of element.attributes)
            if (["title", "aria-label", "placeholder", "alt"].includes(name)) texts.push(value);
    return texts.filter((text) => hidden.test(text)).map((text) => JSON.stringify(text).slice(0, 200));
}"""
ELSEWHERE: Final = """() => [...document.querySelectorAll("[href], [src], [action]")]
    .map((element) => [element.href || element.src || element.action, element.rel ?? ""])
    .filter(([address]) => !address.startsWith(`${location.origin}/`) && !address.startsWith("data:image/svg+xml"))
    .filter(([address, rel]) => !(/^https?:/.test(address) && rel.includes("noreferrer")))"""
"""What leads elsewhere, unless somebody has to press it and nothing but http is spoken: rules may have such links."""


class Writing:
    """Adds a text to every one that others write."""

    def __init__(self, written: str) -> None:
        self._written = written

    def text(self, text: str, place: TextPlace) -> str:
        return text if place.path in IDS else text + self._written

    def items(self, items: tuple[Any, ...], place: TextPlace) -> tuple[Any, ...]:  # noqa: ARG002 - part of Rewriting
        return items


def everywhere(event: RunEvent, text: str) -> RunEvent:
    assert len(paths(event)) > 20
    return rewrite(event, Writing(text))


def assert_harmless(visit: Visit) -> None:
    """Nothing ran, nothing is hidden or turned round, every link stays here, and all can be read."""
    assert visit.page.evaluate("window.harmed") is None
    assert visit.page.evaluate(RAW) == []
    assert visit.page.evaluate(ELSEWHERE) == []
    for width in (1280, 390):
        visit.page.set_viewport_size({"width": width, "height": 800})
        visit.settle()
        assert faults(visit.page) == []


def test_what_pods_write_harms_nobody(visit: Visit, lookout: ServedLookout) -> None:
    lookout.publish(messages(everywhere(failure_now("hostile"), HARM)))
    visit.go("/jobs")
    row = visit.rows.filter(has_text="hostile")
    expect(row).to_have_count(1)
    assert_harmless(visit)
    visit.page.set_viewport_size({"width": 1280, "height": 800})
    row.locator("[data-row]").click()
    expect(visit.panel.get_by_role("region", name="Why it failed")).to_be_visible()
    visit.settle()
    assert_harmless(visit)
    visit.page.set_viewport_size({"width": 1280, "height": 800})
    visit.panel.get_by_role("link", name="as a page").click()
    visit.settle()
    expect(visit.page.get_by_role("region", name="Containers")).to_be_visible()
    assert_harmless(visit)
    visit.keep("hostile")


def test_characters_that_hide_are_written_out(visit: Visit, lookout: ServedLookout) -> None:
    failure = replace(failed(), termination_message=f"one{TERMINAL}{TURNED}two", stack_trace=None)
    lookout.publish(messages(failure_now("written-out", failure=failure)))
    visit.go("/jobs?queue=ml")
    expect(visit.page.locator("tr[data-job='written-out']")).to_have_count(1)
    visit.go("/jobs/written-out")

    text = visit.page.get_by_role("region", name="What it wrote").inner_text()
    assert all(written in text for written in (r"\x1b[31mred", r"\u{202e}gnp.exe", "one", "two"))


def test_a_line_of_64_kib_is_readable_and_widens_nothing(visit: Visit, lookout: ServedLookout) -> None:
    tail = LogTail(container="main", text=f"first\n{LINE}\nlast\n")
    failure = replace(failed(), termination_message=LINE, termination_reason="Error", log_tails=(tail,))
    lookout.publish(messages(failure_now("long-lines", failure=failure)))
    visit.go("/jobs?queue=ml")
    expect(visit.page.locator("tr[data-job='long-lines']")).to_have_count(1)
    assert_harmless(visit)
    visit.go("/jobs/long-lines")

    expect(visit.page.get_by_role("region", name="What it wrote")).to_contain_text("last")
    assert_harmless(visit)


def test_a_text_with_nul_that_no_agent_sends_stops_nothing(visit: Visit, lookout: ServedLookout) -> None:
    payload = messages(failure_now("with-nul"))[0].payload.replace(b"last words", b"last\x00words")
    lookout.publish([Message(key="nul", payload=payload), *messages(failure_now("behind-nul"))])
    visit.go("/jobs?queue=ml")

    expect(visit.page.locator("tr[data-job='behind-nul']")).to_have_count(1)
    expect(visit.page.locator("tr[data-job='with-nul']")).to_have_count(0)
