from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from agent.settings.base import parse_duration, read_secret
from agent.settings.cluster import ClusterSettings
from agent.settings.fault import ConfigError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("1h30m", 5400), ("500ms", 0.5), ("1.5s", 1.5), ("2d", 172800), ("0", 0), (0, 0), ("0s", 0)],
)
def test_a_duration_is_read(text: object, seconds: float) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "30", 30, "-1s", "s", "1 s", "1w", True, False, None, [], "1s2"])
def test_text_that_is_no_duration_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match="not a duration"):
        parse_duration(text)


@given(hours=st.integers(0, 99), minutes=st.integers(0, 99), seconds=st.integers(0, 99))
def test_the_parts_of_a_duration_add_up(hours: int, minutes: int, seconds: int) -> None:
    expected = timedelta(hours=hours, minutes=minutes, seconds=seconds)

    assert parse_duration(f"{hours}h{minutes}m{seconds}s") == expected


def test_a_secret_is_read_without_its_newline(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("abc\n", encoding="utf-8")

    assert read_secret(file) == "abc"


@pytest.mark.parametrize("content", [None, "", "\n"])
def test_a_secret_that_is_not_there_is_an_error_that_names_its_file(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_text(content, encoding="utf-8")

    with pytest.raises(ConfigError, match="token: the secret"):
        read_secret(file)


def test_every_setting_is_described() -> None:
    assert list(undescribed(ClusterSettings, "")) == []


def undescribed(model: type[BaseModel], path: str) -> list[str]:
    found = []
    for name, info in model.model_fields.items():
        if not info.description:
            found.append(f"{path}.{name}")
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            found.extend(undescribed(info.annotation, f"{path}.{name}"))
    return found
