"""A pod as it was submitted, without what may be a secret: people read it who may not read the secret."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agent.core.summary.redaction import CONFIDENTIAL_NAMES, REDACTED, Redactor

_SECRET: Final = (
    rf"(?:{CONFIDENTIAL_NAMES}|pwd|pass|auth|authorization|[_-]key)(?:[_-]?(?:value|text|b64|base64|[0-9]+))?"
)
_NAME: Final = re.compile(rf"(?i).*(?:{_SECRET})")
_OPTION: Final = re.compile(rf"(?i)--?[a-z0-9_-]*(?:{_SECRET})")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPod:
    """``redacted`` has the paths of what was replaced, such as ``spec.containers[0].env[2].value``."""

    pod: Mapping[str, Any]
    redacted: Sequence[str]


def without_secrets(pod: Mapping[str, Any], redactor: Redactor) -> ShownPod:
    """Replace texts that are named as secrets are, whole, and what the redactor finds in any other text.

    A text has the name of its field, of its environment variable or header, or of the option before it.
    """
    showing = _Showing(redactor)
    return ShownPod(pod=showing.mapping(pod, ""), redacted=tuple(showing.paths))


@dataclass(frozen=True, slots=True)
class _Showing:
    redactor: Redactor
    paths: list[str] = field(default_factory=list)

    def mapping(self, mapping: Mapping[str, Any], path: str) -> Mapping[str, Any]:
        given = mapping.get("name")
        name = given if isinstance(given, str) else ""
        return {
            key: self._value(
                value,
                f"{path}.{key}".removeprefix("."),
                is_secret=_NAME.fullmatch(name if key == "value" else key) is not None,
            )
            for key, value in mapping.items()
        }

    def _items(self, items: Sequence[Any], path: str) -> Iterator[Any]:
        before: Any = None
        for number, item in enumerate(items):
            is_secret = isinstance(before, str) and _OPTION.fullmatch(before) is not None
            yield self._value(item, f"{path}[{number}]", is_secret=is_secret)
            before = item

    def _value(self, value: Any, path: str, *, is_secret: bool) -> Any:  # noqa: ANN401 - any JSON
        match value:
            case str() if value:
                return self._text(value, REDACTED if is_secret else self.redactor.redact(value), path)
            case dict():
                return self.mapping(value, path)
            case list():
                return list(self._items(value, path))
            case _:
                return value

    def _text(self, before: str, after: str, path: str) -> str:
        if after != before:
            self.paths.append(path)
        return after
