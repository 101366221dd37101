"""Writes YAML that reads back as it was, here and in programs that follow YAML 1.1."""

import yaml

from agent.documents.scalar import resolve


class _Dumper(yaml.SafeDumper):
    """Quotes every text that our reader would take for something else, such as ``0E0``: YAML 1.1 and 1.2 differ."""


def _represent(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=_style(text))


def _style(text: str) -> str | None:
    """Lines stand below each other, as people write scripts."""
    if "\n" in text:
        return "|"
    return None if resolve(text) == text else '"'


_Dumper.add_representer(str, _represent)


def dump(content: object, *, allow_unicode: bool = True, width: int = 80) -> str:
    """Return a document of plain dicts, lists and values."""
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=allow_unicode, width=width)
