"""Sockets of processes, as the kernel lists them (proc(5), /proc/PID/net/tcp)."""

import ipaddress
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_LISTENING: Final = "0A"


def listening(pids: Iterable[int]) -> set[str]:
    """The addresses on which these processes accept connections."""
    found: set[str] = set()
    for pid in pids:
        inodes = _inodes(pid)
        for table in ("tcp", "tcp6"):
            rows = Path(f"/proc/{pid}/net/{table}").read_text(encoding="ascii").splitlines()[1:]
            columns = [row.split() for row in rows]
            found |= {_address(row[1]) for row in columns if row[3] == _LISTENING and row[9] in inodes}
    return found


def _inodes(pid: int) -> set[str]:
    targets = [link.readlink().name for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()]
    return {target.removeprefix("socket:[").removesuffix("]") for target in targets if target.startswith("socket:[")}


def _address(column: str) -> str:
    """An address as people write it; the kernel writes it as 32-bit words in this machine's order."""
    words = bytes.fromhex(column.partition(":")[0])
    packed = b"".join(struct.pack(">I", *struct.unpack("=I", words[at : at + 4])) for at in range(0, len(words), 4))
    return str(ipaddress.ip_address(packed))
