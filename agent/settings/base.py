"""The parts of settings that every process shares. Fields are spelt in camelCase in files, snake_case here."""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Final, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    WithJsonSchema,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from agent.core.units import QuantityError, parse
from agent.settings.fault import ConfigError, SettingFault


@dataclass(frozen=True, slots=True)
class Form:
    """How a value is written, where its Python type does not say it; docs/settings.md shows it as the type."""

    words: str


@dataclass(frozen=True, slots=True)
class Spelling(Form):
    """The form of a text that a regular expression describes; ``refusal`` says what any other text lacks."""

    pattern: str = field(kw_only=True)
    refusal: str = field(kw_only=True)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401 - pydantic's
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "pattern": self.pattern}

    def _checked(self, text: str) -> str:
        if not re.fullmatch(self.pattern, text):
            raise ValueError(self.refusal)
        return text


class Conflict(ValueError):
    """Settings that do not fit together. ``among``: which, with dots, seen from the model that checks them."""

    def __init__(self, message: str, *among: str) -> None:
        super().__init__(message)
        self.among = among


_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h|d))+")
_PART = re.compile(r"(\d+(?:\.\d+)?)(ns|us|ms|s|m|h|d)")


class Settings(BaseModel):
    """Base of every settings model: strict, closed and unchangeable."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=True,
        validate_default=True,
        allow_inf_nan=False,
        use_attribute_docstrings=False,
    )

    def changed(self, after: Self) -> tuple[str, ...]:
        """The settings that differ, as files spell them with their dots, in the order of the fields."""
        return tuple(
            name
            for field, info in type(self).model_fields.items()
            for name in _changed(info.alias or field, getattr(self, field), getattr(after, field))
        )


def _changed(name: str, before: object, after: object) -> tuple[str, ...]:
    if before == after:
        return ()
    if isinstance(before, Settings) and isinstance(after, Settings) and type(before) is type(after):
        return tuple(f"{name}.{inner}" for inner in before.changed(after))
    return (name,)


def parse_duration(value: object) -> timedelta:
    """A duration as Go writes it: ``30s``, ``1h30m``, ``500ms``, ``2d``; ``0`` needs no unit. Raises ValueError."""
    if isinstance(value, timedelta):
        return value
    if value == "0" or (type(value) is int and value == 0):
        return timedelta(0)
    if not isinstance(value, str) or not _DURATION.fullmatch(value):
        raise ValueError("not a duration: write a number with a unit, as 30s, 5m, 1h30m or 500ms")
    return timedelta(seconds=sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(value)))


def parse_bytes(value: object) -> object:
    """A number of bytes, or a quantity as Kubernetes writes it: ``10Gi``, ``512Mi``, ``1G``. Raises ValueError."""
    if not isinstance(value, str):
        return value
    try:
        size = parse(value)
    except QuantityError:
        raise ValueError("not a size in bytes; write a whole number, or one with a unit, as 512Mi or 10Gi") from None
    if size.denominator != 1:
        raise ValueError("not a whole number of bytes; write a whole number, or one with a unit, as 512Mi or 10Gi")
    return size.numerator


def _positive(value: timedelta) -> timedelta:
    if value <= timedelta(0):
        raise ValueError("must be longer than 0")
    return value


def _without_password(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ValueError(f"not a URL: {error}") from error
    if not parts.scheme:
        raise ValueError("not a URL; begin it with a scheme, as sqlite:/// or https://")
    if parts.password:
        raise ValueError(
            "a URL must not contain a password: secrets come from files, so name a file in the setting for it"
        )
    return url


def _loopback(host: str) -> str:
    if host != "localhost" and not is_loopback(host):
        raise ValueError("the API has no access control yet; use 127.0.0.1, ::1 or localhost")
    return host


def is_loopback(host: str) -> bool:
    """Whether this is an IP address of loopback."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


Duration = Annotated[timedelta, BeforeValidator(parse_duration), Form("duration")]
"""A duration, possibly 0."""

PositiveDuration = Annotated[
    timedelta, BeforeValidator(parse_duration), AfterValidator(_positive), Form("duration longer than 0")
]
"""A duration longer than 0."""

SIZE: Final = Form("size in bytes")
"""The form of a number of bytes."""

Bytes = Annotated[
    int,
    BeforeValidator(parse_bytes),
    WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "string"}], "examples": ["512Mi", "10Gi"]}),
    SIZE,
]
"""A number of bytes, possibly with a suffix of Kubernetes."""

Url = Annotated[str, AfterValidator(_without_password), Form("URL without a password")]
"""A URL with a scheme and without a password."""

LoopbackHost = Annotated[str, AfterValidator(_loopback), Form("address of this machine only")]
"""An address that only processes on this machine reach: what is served there has no access control."""

Port = Annotated[int, Field(ge=0, le=65535), Form("port")]
"""A TCP port; 0 lets the system choose one."""


class LogLevel(StrEnum):
    """The lowest level that is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(StrEnum):
    """How a log line looks: one JSON object, or words for a terminal."""

    JSON = "json"
    CONSOLE = "console"


class LogSettings(Settings):
    """What is logged, and how."""

    level: LogLevel = Field(default=LogLevel.INFO, description="The lowest level that is logged.")
    format: LogFormat = Field(
        default=LogFormat.JSON, description="json: one JSON object a line, for programs. console: words, for people."
    )


class HealthSettings(Settings):
    """Where /healthz, /readyz and /metrics are served."""

    host: str = Field(
        default="127.0.0.1",
        description="Address to listen on. The default is loopback: only processes on the same host reach it.",
    )
    port: Port = Field(
        default=8081, description="Port to listen on. 0 lets the system choose one, which the log then names."
    )


def read_secret(path: Path) -> str:
    """The secret in a file, without its final newline. Raises ConfigError where it cannot be read or is empty."""
    try:
        secret = path.read_text(encoding="utf-8").removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            SettingFault(
                place=str(path),
                path="",
                message=f"the secret cannot be read: {error}; check the path and the rights of the file",
            )
        ) from error
    if not secret:
        raise ConfigError(SettingFault(place=str(path), path="", message="the secret is empty: write it into the file"))
    return secret
