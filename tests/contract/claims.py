"""What the simulator does not claim to say word for word: how a message goes on that begins like one of these."""

from typing import Any, Final

_BEGINNINGS: Final = (
    "invalid continue token: ",
    'Pod "a" is invalid: spec: Forbidden: pod updates may not change fields other than ',
    "Forbidden: pod updates may not change fields other than ",
)


_FURTHER: Final = "GET /openapi/v2"
"""What kubectl also asks of the simulator, whose OpenAPI v3 has no schemas by which it could make a patch."""


def claimed(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """A transcript, or a part of one, without what the simulator does not claim."""
    match value:
        case dict():
            return {name: claimed(each) for name, each in value.items()}
        case list():
            return [claimed(each) for each in value if not (isinstance(each, str) and each.startswith(_FURTHER))]
        case str():
            return next((f"{start}..." for start in _BEGINNINGS if value.startswith(start)), value)
        case _:
            return value
