"""What no page may do is noted when a page does it: without that, the other tests would prove nothing."""

import pytest

from tests.lookout.pages.conftest import Opens
from tests.lookout.pages.looks import unreadable
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import Visit

pytestmark = BROWSER

DEEDS = {
    "fetch('http://192.0.2.1/').catch(() => {})": ["Content Security Policy"],
    "void document.body.setAttribute('style', 'color: red')": ["Content Security Policy"],
    "void document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=harm()>')": ["Content Security Policy"],
    "void document.head.append(Object.assign(document.createElement('script'), {src: 'http://192.0.2.1/a.js'}))": [
        "Content Security Policy"
    ],
    "console.error('ouch')": ["ouch"],
    "void setTimeout(() => { throw new Error('thrown') })": ["thrown"],
    "fetch('/api/v1/nothing')": ["404"],
}


@pytest.mark.parametrize("deed", DEEDS)
def test_what_no_page_may_do_is_noted(visit: Visit, deed: str) -> None:
    visit.go("/jobs")
    visit.page.evaluate(deed)
    visit.page.evaluate("new Promise((done) => setTimeout(done))")

    for words in DEEDS[deed]:
        assert any(words in fault for fault in visit.watch.faults), visit.watch.faults
    visit.watch.faults.clear()


def test_a_request_to_another_server_is_noted(lookout: ServedLookout, open_visit: Opens) -> None:
    visit = open_visit(lookout, bypass_csp=True)
    visit.go("/jobs")
    visit.page.evaluate("fetch('http://192.0.2.1:9/', {signal: AbortSignal.timeout(50)}).catch(() => {})")

    assert any(fault.startswith("asked http://192.0.2.1:9/") for fault in visit.watch.faults)
    visit.watch.faults.clear()


@pytest.mark.parametrize(
    ("css", "found"),
    [
        ("h1 { width: 20px !important; overflow: hidden !important; white-space: nowrap !important }", "cut off: h1"),
        ("h1 { position: relative; left: 95vw; width: max-content }", "the page is "),
        ("h1 { position: fixed; left: 99vw; width: max-content }", "outside the window: h1"),
    ],
)
def test_what_cannot_be_read_is_found(lookout: ServedLookout, open_visit: Opens, css: str, found: str) -> None:
    visit = open_visit(lookout, bypass_csp=True)
    visit.go("/jobs")
    assert unreadable(visit.page) == []
    visit.page.add_style_tag(content=css)

    assert any(fault.startswith(found) for fault in unreadable(visit.page))
