"""What people may read of a submitted pod."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.summary.redaction import REDACTED, Redactor
from agent.core.summary.submitted_pod import without_secrets

REDACTOR = Redactor()


def env(*pairs: tuple[str, str]) -> dict[str, Any]:
    """A pod whose only container has these environment variables."""
    values = [{"name": name, "value": value} for name, value in pairs]
    return {"spec": {"containers": [{"name": "main", "env": values}]}}


@pytest.mark.parametrize(
    "name",
    [
        *("DB_PASSWORD", "API_KEY", "WANDB_API_KEY", "github_token", "TOKEN2", "DBPASS", "SSH_KEY", "BASIC_AUTH"),
        *("AWS_SECRET_ACCESS_KEY", "PASSWORD_B64", "client-secret", "Authorization"),
    ],
)
def test_a_variable_that_is_named_as_secrets_are_is_not_shown(name: str) -> None:
    shown = without_secrets(env(("MODE", "fast"), (name, "two (words)")), REDACTOR)

    assert shown.pod == env(("MODE", "fast"), (name, REDACTED))
    assert list(shown.redacted) == ["spec.containers[0].env[1].value"]


@pytest.mark.parametrize(
    "name", ["MAX_TOKENS", "TOKENIZERS_PARALLELISM", "SECRET_NAME", "TOKEN_FILE", "PASSES", "KEYS", "AUTHOR"]
)
def test_a_variable_that_only_begins_so_is_shown(name: str) -> None:
    assert without_secrets(env((name, "512")), REDACTOR).redacted == ()


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ({"args": ["--token", "abc", "--steps", "9"]}, {"args": ["--token", REDACTED, "--steps", "9"]}),
        ({"args": ["--password=abc x"]}, {"args": [f"--password={REDACTED} x"]}),
        (
            {"command": ["sh", "-c", "export API_KEY=abc\nrun"]},
            {"command": ["sh", "-c", f"export API_KEY={REDACTED}\nrun"]},
        ),
        (
            {"metadata": {"annotations": {"my.org/token": "abc"}}},
            {"metadata": {"annotations": {"my.org/token": REDACTED}}},
        ),
        ({"url": "https://ann:abc@host/x"}, {"url": f"https://ann:{REDACTED}@host/x"}),
    ],
)
def test_secrets_in_other_places_are_not_shown(part: dict[str, Any], shown: dict[str, Any]) -> None:
    found = without_secrets(part, REDACTOR)

    assert found.pod == shown
    assert len(found.redacted) == 1


def test_where_a_secret_is_kept_is_shown() -> None:
    kept = {
        "env": [{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}],
        "volumes": [{"name": "token", "secret": {"secretName": "token", "items": [{"key": "token", "path": "t"}]}}],
        "imagePullSecrets": [{"name": "registry"}],
        "automountServiceAccountToken": False,
        "tolerations": [{"key": "api-key", "value": "yes"}],
        "topologyKey": "kubernetes.io/hostname",
        "empty": [{"name": "API_KEY", "value": ""}],
    }

    assert without_secrets(kept, REDACTOR).pod == kept


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["a", "b c", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x", "name", "value"]), inner),
)


@given(st.dictionaries(st.sampled_from(["x", "name", "value"]), PLAIN))
def test_what_has_no_secret_is_shown_as_it_is(pod: dict[str, Any]) -> None:
    assert without_secrets(pod, REDACTOR).pod == pod
