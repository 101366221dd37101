"""The file of compiled rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

import msgspec

from agent.compiled_rules.form import pack_rules, unpack_rules
from agent.compiled_rules.key import current_key
from agent.core.classify.rules import RuleSet
from agent.shipped import RULES, shipped

_MAKE: Final = "python -m agent.rule_files"
_MODE: Final = 0o644
"""As other files that ship; a temporary file is its owner's only."""


def compiled_file() -> Path:
    """Where the compiled rules of this installation are."""
    return shipped(RULES).with_suffix(".msgpack")


@dataclass(frozen=True, slots=True)
class Unfit:
    """A file that is not used, and why."""

    file: Path
    why: str

    def __str__(self) -> str:
        slower = "so the rules are read from YAML, which takes longer"
        return f"{self.file} {self.why}, {slower}; `{_MAKE}` makes it again"


class Compiled(msgspec.Struct, frozen=True, array_like=True):
    """Compiled rules, which become values only when they are asked for."""

    key: str
    whole: bytes
    apart: dict[str, bytes]

    def rules(self) -> RuleSet:
        """The rules that hold where nobody names others."""
        return unpack_rules(self.whole)

    def pack(self, name: str) -> RuleSet | None:
        """The rules of a pack that ships, as one file by itself."""
        packed = self.apart.get(name)
        return None if packed is None else unpack_rules(packed)


class _Sealed(msgspec.Struct, frozen=True, array_like=True):
    """What is in the file: the compiled rules as bytes, and their hash."""

    digest: bytes
    content: bytes


def read_compiled(file: Path) -> Compiled | Unfit | None:
    """Return what is in the file; ``None`` if there is none."""
    try:
        sealed = msgspec.msgpack.decode(file.read_bytes(), type=_Sealed)
        if sealed.digest != _digest(sealed.content):
            return Unfit(file, "is damaged")
        compiled = msgspec.msgpack.decode(sealed.content, type=Compiled)
        return compiled if compiled.key == current_key() else Unfit(file, "is of other rules or another version")
    except FileNotFoundError:
        return None
    except OSError as error:
        return Unfit(file, f"cannot be compared: {error.strerror}")
    except msgspec.DecodeError:
        return Unfit(file, "is damaged")


def write_compiled(file: Path, rules: RuleSet, packs: Mapping[str, RuleSet]) -> None:
    """Write the file, at once and whole: several builds may run at a time. Raises OSError."""
    compiled = Compiled(
        key=current_key(), whole=pack_rules(rules), apart={name: pack_rules(pack) for name, pack in packs.items()}
    )
    content = msgspec.msgpack.encode(compiled)
    with NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as made:
        made.write(msgspec.msgpack.encode(_Sealed(digest=_digest(content), content=content)))
    written = Path(made.name)
    written.chmod(_MODE)
    written.replace(file)


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()
