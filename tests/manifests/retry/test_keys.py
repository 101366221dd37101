"""What the retries of a rule count under, as it is in use."""

from pathlib import Path
from typing import get_args

from agent.core.classify.matchers.registry import AllOf, RetryMatcher
from agent.core.retry.identity import rule_key
from agent.manifests.retry.load import load_retry_policy

ROOT = Path(__file__).parents[3]
EVERY_MATCHER = Path(__file__).parent / "every_matcher.yaml"


def keys(file: Path) -> list[str]:
    policy = load_retry_policy(file.read_text(encoding="utf-8"), file=file.name)
    return [rule_key(policy, rule) for rule in policy.rules]


def test_the_keys_of_rules_do_not_change_between_versions() -> None:
    assert keys(EVERY_MATCHER) == [
        "p#ad0a8efc88fe",
        "p#fd2e7334bda8",
        "p#f5458f4c2503",
        "p#6c40357f3e00",
        "p#67712f8fceb8",
        "p#a819e0a3a4fc",
        "p#b730b7153cea",
        "p#690d47dd2fc3",
        "p#2e9cc380270b",
        "p#17bb4203ea09",
        "p#224671c89c3f",
        "p#0b073e8916cc",
        "p#37c82bd20973",
        "p/named",
        "p#8afcb6cb01e2",
        "p#bdeb5ccb9407",
    ]


def test_the_keys_of_the_demo_do_not_change_between_versions() -> None:
    """Where the file itself was edited, write its new keys here; without an edit the code is wrong."""
    assert keys(ROOT / "config" / "demo" / "retry-policy.yaml") == [
        "demo/preempted",
        "demo/unhealthy-node",
        "demo/lost",
        "demo/more-memory",
        "demo/transient",
    ]


def test_the_pinned_file_has_every_matcher() -> None:
    policy = load_retry_policy(EVERY_MATCHER.read_text(encoding="utf-8"), file="f.yaml")
    assert {type(rule.matcher) for rule in policy.rules} == {*get_args(RetryMatcher), AllOf}
