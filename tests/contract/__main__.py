"""``python -m tests.contract record|diff [SCENARIO ...]``: the transcripts of a real API server, anew or compared."""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TextIO

from tests.contract.catalogue import SCENARIOS
from tests.contract.real import OPTIONS, real_stage
from tests.contract.sessions import SESSIONS
from tests.contract.stage import Stage
from tests.contract.terminal import terminal
from tests.contract.transcript import difference, normalise, normalise_session, write
from tests.servers.availability import NotPrepared, look
from tests.servers.cache import Cache, cache_folder
from tests.servers.catalogue import SERVERS
from tests.servers.control_plane import ControlPlane
from tests.servers.control_plane_program import KUBECTL
from tests.simulator.api import Json

_NAMES: Final = (*SCENARIOS, *SESSIONS)


def main(arguments: Sequence[str], out: TextIO) -> int:
    """Do what is asked; 1 where a transcript is not the committed one."""
    asked = _parser().parse_args(arguments)
    found = look(SERVERS["kubernetes"], Cache(cache_folder(os.environ)))
    if isinstance(found, NotPrepared):
        out.write(f"there is no real server: {found.why}\n")
        return 2
    chosen = asked.scenarios or _NAMES
    with (
        tempfile.TemporaryDirectory() as folder,
        ControlPlane(found.folder, Path(folder) / "kubernetes", options=OPTIONS) as running,
    ):
        transcripts = asyncio.run(record(running, chosen, kubectl=found.folder / KUBECTL))
    differences = {name: difference(name, each, by="recorded now") for name, each in transcripts.items()}
    out.writelines(f"{text}\n" for text in differences.values() if text)
    if asked.command == "diff":
        return 1 if any(differences.values()) else 0
    for name, transcript in transcripts.items():
        write(name, transcript)
    out.write(f"{len(transcripts)} recorded, {sum(map(bool, differences.values()))} of them differ from before\n")
    return 0


async def record(control_plane: ControlPlane, names: Sequence[str], *, kubectl: Path) -> dict[str, list[Json]]:
    """The transcripts of these scenarios and sessions, played one after the other."""
    transcripts = {}
    for name in names:
        async with real_stage(control_plane) as stage:
            transcripts[name] = await _transcript(name, stage, kubectl)
    return transcripts


async def _transcript(name: str, stage: Stage, kubectl: Path) -> list[Json]:
    if name in SCENARIOS:
        await SCENARIOS[name](stage)
        return normalise(stage.server.exchanges, namespace=stage.namespace)
    with tempfile.TemporaryDirectory() as folder:
        async with terminal(stage, kubectl, Path(folder)) as used:
            await SESSIONS[name](used)
    return normalise_session(used.ran, namespace=stage.namespace)


def _known(name: str) -> str:
    if name not in _NAMES:
        raise argparse.ArgumentTypeError(f"no scenario {name!r}; there are {', '.join(_NAMES)}")
    return name


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.contract", description=__doc__)
    parser.add_argument("command", choices=["record", "diff"], help="record: write them down; diff: only compare")
    parser.add_argument("scenarios", nargs="*", type=_known, metavar="SCENARIO", help="all if none is named")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdout))
