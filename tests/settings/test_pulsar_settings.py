import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from agent.settings.pulsar import PulsarSettings

PAGE = Path(__file__).parents[2] / "docs" / "pulsar.md"


def test_a_certificate_and_its_key_are_given_together() -> None:
    for name in ("certificateFile", "keyFile"):
        with pytest.raises(ValidationError, match="belong together"):
            PulsarSettings.model_validate_json(f'{{"{name}": "/tls/some.pem"}}')


@pytest.mark.parametrize("namespace", ["armada", "armada/failures/topic", "/failures", "a b/c", ""])
def test_a_namespace_has_two_halves(namespace: str) -> None:
    with pytest.raises(ValidationError):
        PulsarSettings(namespace=namespace)


def test_every_setting_is_in_the_page() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## Settings\n")[2].partition("\n## ")[0]
    named = [
        name
        for line in table.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`(\w+)`", line.split("|")[1])
    ]

    assert named == [field.alias for field in PulsarSettings.model_fields.values()]
