"""When a change of a setting applies, and what reads it: said once, at the field."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from pydantic.fields import FieldInfo

from agent.settings.base import Settings


class Applies(StrEnum):
    """When a change of a setting applies, as people read it."""

    AT_ONCE = "Changes apply within seconds."
    AFTER_RESTART = "Changes apply after a restart."


@dataclass(frozen=True, slots=True)
class Effect:
    """What a setting does, or all settings of a section.

    ``readers`` are the files and folders below ``agent/`` that use it, the first to be opened first.
    """

    applies: Applies
    readers: tuple[str, ...]


def at_once(*readers: str) -> Effect:
    return Effect(Applies.AT_ONCE, readers)


def after_restart(*readers: str) -> Effect:
    return Effect(Applies.AFTER_RESTART, readers)


class RootSettings(Settings):
    """Base of the settings of a process. ``effects`` has the effect of each field, by its name in files.

    Raises TypeError for a field without one.
    """

    effects: ClassVar[Mapping[str, Effect]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **given: object) -> None:
        super().__pydantic_init_subclass__(**given)
        fields = cls.model_fields.items()
        cls.effects = {info.alias or name: _effect(info, f"{cls.__name__}.{name}") for name, info in fields}

    @classmethod
    def applies(cls, setting: str) -> Applies:
        """When a change of a setting applies, such as ``log.level``."""
        return cls.effects[setting.partition(".")[0]].applies


def _effect(info: FieldInfo, name: str) -> Effect:
    effect = next((mark for mark in info.metadata if isinstance(mark, Effect)), None)
    if effect is None:
        raise TypeError(f"{name}: annotate it with at_once(FILE) or after_restart(FILE) of agent.settings.effect")
    return effect
