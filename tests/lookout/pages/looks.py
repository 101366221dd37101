"""Whether a page can be read: what axe finds, text that is cut off, and what is wider than the window."""

from collections.abc import Iterator
from typing import Any, Final, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
WIDTHS: Final = {1280: 800, 390: 844}
"""Widths of windows, and their heights: a laptop's and a telephone's."""

_AXE: Final = Axe()
_MOST: Final = 5
"""Places that are named of each fault."""

_UNREADABLE: Final = """() => {
    const found = [];
    const name = (element) =>
        `${element.tagName.toLowerCase()}.${element.className}: ${element.textContent.slice(0, 60)}`;
    const page = document.scrollingElement;
    if (page.scrollWidth > page.clientWidth)
        found.push(`the page is ${page.scrollWidth} wide, the window ${page.clientWidth}`);
    const overflow = (element) => getComputedStyle(element).overflowX;
    const shown = { visibilityProperty: true, opacityProperty: true };
    const isHidden = (element) => {
        const { width, height } = element.getBoundingClientRect();
        return width <= 1 || height <= 1 || !element.checkVisibility(shown);
    };
    const problemOf = (text) => {
        const words = text.data.trim(), holder = text.parentElement, range = document.createRange();
        range.selectNodeContents(text);
        const { left, right, width } = range.getBoundingClientRect();
        if (words === "" || width === 0 || right <= 0 || holder.closest("script, style, noscript")) return;
        for (let around = holder; around !== document.documentElement; around = around.parentElement) {
            const isSaid = (around.title ?? "").includes(words);
            if (isSaid || isHidden(around) || ["auto", "scroll"].includes(overflow(around))) return;
            const box = around.getBoundingClientRect(), isCut = right > box.right + 1 || left < box.left - 1;
            if (isCut && ["hidden", "clip"].includes(overflow(around))) return `cut off: ${name(holder)}`;
        }
        if (right > innerWidth + 1 || left < -1) return `outside the window: ${name(holder)}`;
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) found.push(problemOf(texts.currentNode));
    return [...new Set(found)].filter((problem) => problem !== undefined);
}"""
"""Text may be cut where what cuts it scrolls, or says the whole of it when one points at it. What is for those who
cannot see, or only for the keyboard, is a point, or wholly left of the window."""


_SMALL: Final = """() => [...document.querySelectorAll(
        "button, summary, select, .behind, .facts a, [data-row], [role=option], .mantine-Input-input")]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
    .map((element) => [element, element.getBoundingClientRect()])
    .filter(([, { right, width }]) => right > 0 && width > 1)
    .filter(([element, { width, height }]) => height < 24 || (width < 24 && element.matches("button")))
    .map(([element, { width, height }]) => `${element.ariaLabel ?? element.textContent}: ${width} x ${height}`)"""
"""What is too small for a finger; a link in a sentence is as high as the sentence, and a name as wide as it is."""


def small(page: Page) -> list[str]:
    """What is touched, and too small for a finger."""
    found: list[str] = page.evaluate(_SMALL)
    return found


def faults(page: Page) -> list[str]:
    """All that is wrong with what is shown now."""
    unreadable: list[str] = page.evaluate(_UNREADABLE)
    return [*unreadable, *_violations(_AXE.run(page).response)]


def unreadable(page: Page) -> list[str]:
    """What is cut off, or wider than the window."""
    found: list[str] = page.evaluate(_UNREADABLE)
    return found


def _violations(response: dict[str, Any]) -> Iterator[str]:
    for violation in response["violations"]:
        places = [f"{node['target']} {node['failureSummary']}" for node in violation["nodes"][:_MOST]]
        yield f"axe, {violation['id']} ({violation['impact']}): {violation['help']}: {places}"
