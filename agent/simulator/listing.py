"""Lists, whole or in pages that all show the same snapshot."""

import base64
import json
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from agent.json_reader.reader import read_value
from agent.simulator.kinds import Json, Kind
from agent.simulator.selection import Selection
from agent.simulator.status import bad_request, expired_continue
from agent.simulator.store import Key, Store, Stored

_SNAPSHOTS: Final = 64
"""How many unfinished lists are kept; beyond that the oldest gets 410, as after a compaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """Where a list continues: after this key, in the snapshot of this version; 0 is the current state."""

    version: int
    after: Key

    def encode(self) -> str:
        """The continue token, opaque to clients as the server's is."""
        text = json.dumps({"v": "meta.k8s.io/v1", "rv": self.version, "start": "\0".join(self.after)})
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_token(text: str) -> Token:
    """Read a continue token. Raises StatusError (400)."""
    try:
        read = read_value(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        namespace, name = read["start"].split("\0")
        return Token(version=int(read["rv"]), after=(namespace, name))
    except (ValueError, KeyError, TypeError, AttributeError, msgspec.DecodeError) as error:
        raise bad_request(f"invalid continue token: continue key is not valid: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A list, or a part of one, with the metadata that says where it goes on."""

    kind: Kind
    items: Sequence[Stored]
    metadata: Json

    def body(self) -> bytes:
        """The List object."""
        head = {"kind": f"{self.kind.name}List", "apiVersion": self.kind.api_version, "metadata": self.metadata}
        items = b",".join(stored.bare for stored in self.items)
        return msgspec.json.encode(head)[:-1] + b',"items":[' + items + b"]}"


class Lister:
    """Answers lists; keeps a snapshot for the later pages of each."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._snapshots: OrderedDict[tuple[str, int], list[Stored]] = OrderedDict()

    def page(self, kind: Kind, selection: Selection, *, limit: int, token: str) -> Page:
        """A part of a list. ``limit`` of 0 is all of it; ``token`` of ``""`` begins. Raises StatusError (400, 410)."""
        if token:
            version, rest = self._resume(kind, read_token(token))
        else:
            version, rest = self._store.version, list(self._store.all(kind))
        matching = rest if selection.everything else [stored for stored in rest if selection.fits(stored.object)]
        if limit <= 0 or len(matching) <= limit:
            return Page(kind=kind, items=matching, metadata={"resourceVersion": str(version)})
        items = matching[:limit]
        self._remember(kind, version, rest, known=bool(token))
        metadata: dict[str, object] = {
            "resourceVersion": str(version),
            "continue": Token(version=version, after=items[-1].key).encode(),
        }
        if not selection.selective:
            metadata["remainingItemCount"] = len(matching) - limit
        return Page(kind=kind, items=items, metadata=metadata)

    def _resume(self, kind: Kind, token: Token) -> tuple[int, list[Stored]]:
        if token.version == 0:
            version, whole = self._store.version, list(self._store.all(kind))
        else:
            version = token.version
            whole = self._snapshot(kind, token)
        return version, whole[bisect_right(whole, token.after, key=lambda stored: stored.key) :]

    def _snapshot(self, kind: Kind, token: Token) -> list[Stored]:
        snapshot = self._snapshots.get((kind.plural, token.version))
        if snapshot is None or token.version < self._store.collections[kind.plural].compacted:
            raise expired_continue(Token(version=0, after=token.after).encode())
        return snapshot

    def _remember(self, kind: Kind, version: int, whole: list[Stored], *, known: bool) -> None:
        if known and (kind.plural, version) in self._snapshots:
            return
        self._snapshots[kind.plural, version] = whole
        while len(self._snapshots) > _SNAPSHOTS:
            self._snapshots.popitem(last=False)
