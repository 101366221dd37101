"""The linter over HTTP finds what ``failctl lint`` finds."""

from dataclasses import asdict

import pytest

from agent.lookout.api.linting import LONGEST, MOST
from agent.manifests.lint import lint
from tests.lookout.api.serving import Client
from tests.manifests.resource.documents import policy, queue

TEXTS = {
    "good": policy("a") + "---\n" + queue("ml"),
    "bad": policy("a").replace("onConditions", "onConditons"),
    "no kind": "kind: Policy\n",
    "empty": "",
    "not YAML": "a: [",
    "hostile": "kind: \x1b[31m\u202eRetryPolicy\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_findings_are_those_of_failctl(client: Client, text: str) -> None:
    found = [asdict(problem) for problem in lint(text, file="a.yaml")]
    answer = client.post("/api/v1/lint", {"text": text, "name": "a.yaml"})

    assert answer.status == 200
    assert answer.json == {
        "valid": not [one for one in found if one["severity"] == "error"],
        "findings": found,
        "leftOut": 0,
    }


@pytest.mark.parametrize(
    ("body", "path"),
    [({}, "text"), ({"text": 1}, "text"), ({"text": "", "nam": ""}, "nam"), ({"text": "x" * (LONGEST + 1)}, "text")],
)
def test_what_is_no_text_is_refused(client: Client, body: object, path: str) -> None:
    answer = client.post("/api/v1/lint", body)

    assert (answer.status, answer.code) == (400, "invalid-request")
    assert [fault["path"] for fault in answer.json["errors"]] == [path]


def test_of_very_many_findings_the_first_are_listed(client: Client) -> None:
    answer = client.post("/api/v1/lint", {"text": "kind: Policy\n---\n" * (MOST + 50)})

    assert (len(answer.json["findings"]), answer.json["valid"]) == (MOST, False)
    assert answer.json["leftOut"] >= 50
