from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.summary.redaction import DEFAULT_RULES, RedactionError, RedactionRule, Redactor
from tests.tables import table

SECRETS: list[dict[str, str]] = table(Path(__file__).with_name("secrets.yaml"))
REDACTOR = Redactor()


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: f"{secret['rule']}: {secret['gone']}")
def test_a_secret_goes_and_the_rest_stays(secret: dict[str, str]) -> None:
    redacted = REDACTOR.redact(secret["text"])

    assert secret["gone"] not in redacted
    assert secret["kept"] in redacted
    assert REDACTOR.finds(secret["text"])


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: f"{secret['rule']}: {secret['gone']}")
def test_the_rule_that_is_named_does_it_alone(secret: dict[str, str]) -> None:
    alone = Redactor([rule for rule in DEFAULT_RULES if rule.name == secret["rule"]])

    assert secret["gone"] not in alone.redact(secret["text"])


def test_every_rule_has_an_example() -> None:
    assert {rule.name for rule in DEFAULT_RULES} == {secret["rule"] for secret in SECRETS}


@pytest.mark.parametrize(
    "text",
    [
        "CUDA out of memory. Tried to allocate 2.00 GiB",
        'Back-off pulling image "images.example/app:1.2"',
        "processed 512 tokens; the tokenizer is slow",
        "bearer authentication is required",
        "https://images.example/v2/app/manifests/1.2: not found",
        "secretName is required",
        "the keyboard was interrupted",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert not REDACTOR.finds(text)
    assert REDACTOR.redact(text) == text


PIECES = st.sampled_from([secret["text"] for secret in SECRETS]) | st.text(max_size=20).filter(
    lambda text: text.isprintable()
)


@given(st.lists(PIECES, max_size=4).map(" ".join))
def test_twice_is_the_same_as_once(text: str) -> None:
    once = REDACTOR.redact(text)

    assert REDACTOR.redact(once) == once


@given(st.lists(PIECES, max_size=5))
def test_what_changes_any_text_is_found_in_all_of_them(texts: list[str]) -> None:
    changes = any(REDACTOR.redact(text) != text for text in texts)

    assert REDACTOR.finds("\n".join(texts)) or not changes


@given(st.sampled_from([secret["text"] for secret in SECRETS]), st.sampled_from(["", "because Error: "]))
def test_a_secret_that_is_quoted_is_still_found(text: str, before: str) -> None:
    assert not REDACTOR.minds_lines
    assert REDACTOR.finds(f"{before}{text}\n")


def test_rules_of_settings_are_added_to_ours() -> None:
    redactor = Redactor(
        (*DEFAULT_RULES, RedactionRule(name="case", pattern=r"^CASE-(\d)\d+$", replacement=r"CASE-\1.."))
    )

    assert redactor.minds_lines
    assert redactor.redact("see\nCASE-1234\nand token: x") == "see\nCASE-1..\nand token: [redacted]"
    assert redactor.finds("see\nCASE-1234")


def test_without_rules_nothing_is_found() -> None:
    assert not Redactor(()).finds("password=x")
    assert Redactor(()).redact("password=x") == "password=x"


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ({"pattern": "("}, "redaction rule mine: not a valid pattern: missing"),
        ({"pattern": r"\Astart"}, "not allowed"),
        ({"pattern": r"end\z"}, "not allowed"),
        ({"pattern": "(a)", "replacement": r"\2"}, "quotes a group that the pattern lacks"),
    ],
)
def test_a_rule_that_cannot_be_used_is_refused_by_name(rule: dict[str, Any], why: str) -> None:
    with pytest.raises(RedactionError, match=why):
        Redactor([RedactionRule(name="mine", **rule)])
