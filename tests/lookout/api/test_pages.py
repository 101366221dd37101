"""The pages' document and files, as a browser asks for them."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette

from agent.lookout.api import pages
from tests.lookout.api.serving import Client, serving

DOCUMENT = '<meta name="style-nonce" content="__STYLE_NONCE__" />'


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of pages that stand for built ones."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "assets").mkdir()
    for name, text in {"index.html": DOCUMENT, "favicon.svg": "<svg/>", "assets/index-1a2b.js": "run()"}.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "assets" / "packed-3c4d.js").write_text("pack()", encoding="utf-8")
    (folder / "assets" / "packed-3c4d.js.gz").write_bytes(gzip.compress(b"pack()"))
    with serving(Starlette(routes=[*pages.routes(folder)])) as found:
        yield found


def nonce(policy: str) -> str:
    (found,) = re.findall(r"'nonce-([^']+)'", policy)
    return str(found)


@pytest.mark.parametrize("address", ["/", "/jobs", "/jobs/j-1", "/jobs/a%2Fb", "/runs/r-1", "/jobs?category=infra"])
def test_each_page_is_the_one_document(client: Client, address: str) -> None:
    answer = client.get(address)

    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.text == f'<meta name="style-nonce" content="{nonce(answer.headers["content-security-policy"])}" />'


def test_each_document_has_a_nonce_of_its_own(client: Client) -> None:
    found = {nonce(client.get("/").headers["content-security-policy"]) for _ in range(3)}

    assert len(found) == 3
    assert all(len(some) >= 20 for some in found)


def test_the_policy_lets_nothing_in_but_our_own(client: Client) -> None:
    policy = client.get("/jobs").headers["content-security-policy"]
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split("; ")}

    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == rules["frame-ancestors"] == ["'none'"]
    assert rules["script-src"] == rules["connect-src"] == ["'self'"]
    assert "unsafe" not in policy


def test_built_files_are_kept_by_browsers(client: Client) -> None:
    answer = client.get("/assets/index-1a2b.js")

    assert (answer.status, answer.text) == (200, "run()")
    assert "immutable" in answer.headers["cache-control"]
    assert client.get("/favicon.svg").headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize("accepted", ["gzip", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8"])
def test_packed_files_are_sent_to_whom_takes_them(client: Client, accepted: str) -> None:
    answer = client.get("/assets/packed-3c4d.js", Accept_Encoding=accepted)

    assert gzip.decompress(answer.body) == b"pack()"
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["vary"] == "Accept-Encoding"
    assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize(
    ("path", "accepted"),
    [
        ("packed-3c4d.js", ""),
        ("packed-3c4d.js", "br, gzip;q=0"),
        ("packed-3c4d.js", "gzip; q=0.0"),
        ("index-1a2b.js", "gzip"),
    ],
)
def test_others_are_sent_as_they_are(client: Client, path: str, accepted: str) -> None:
    answer = client.get(f"/assets/{path}", Accept_Encoding=accepted)

    assert answer.text in {"pack()", "run()"}
    assert "content-encoding" not in answer.headers


@pytest.mark.parametrize("path", ["/assets/none.js", "/assets/../index.html", "/assets/%2e%2e/index.html", "/assets/"])
def test_what_is_no_built_file_is_not_found(client: Client, path: str) -> None:
    assert client.get(path).status == 404


def test_without_pages_it_says_how_to_have_them(tmp_path: Path) -> None:
    with serving(Starlette(routes=[*pages.routes(tmp_path / "none")])) as client:
        answer = client.get("/")

    assert answer.status == 200
    assert "make ui" in answer.text
