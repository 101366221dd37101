"""What a command asks: what was named, else what is found on this machine. All commands look for it in this order.

First what options name, then variables, then the context; then the scheduler's store if a variable or a demo says where
it is, the API of a scheduler, and the Lookout, each where it is on this machine unless settings say otherwise.
"""

import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, TextIO

from agent.console.exits import UsageError
from agent.console.paragraphs import paragraph
from agent.console.terminal import visible, width
from agent.ctl.destination import StoreAddress
from agent.ctl.server import DEFAULT, DEFAULT_LOOKOUT, LOOKOUT_VARIABLE, VARIABLE, Addresses, ServerChoice

STORE_VARIABLE: Final = "FAILURE_AGENT_STORE__URL"

_SOON: Final = 0.5
"""Seconds in which an API on this machine takes a connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A store, the API of a scheduler, or a Lookout: the one that is not ``None``."""

    store: StoreAddress | None = None
    server: str | None = None
    lookout: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """What may be on this machine, and whether it is there.

    ``what`` it is, its whole name, and the option by which somebody asks it instead.
    """

    asked: Asked
    what: str
    name: str
    is_there: Callable[[], bool]
    option: str = ""


def for_lists(where: StoreAddress, choice: ServerChoice, environ: Mapping[str, str], *, err: TextIO) -> Asked:
    """What lists records; of a scheduler and a Lookout that are named together the Lookout. Raises as ``for_job``."""
    return _for_records(where, choice, environ, err=err, first=_lookout_first)


def for_job(where: StoreAddress, choice: ServerChoice, environ: Mapping[str, str], *, err: TextIO) -> Asked:
    """What explains a job; of a scheduler and a Lookout that are named together the scheduler.

    At a terminal ``err`` gets what was found, where nothing was named and there is more than one.
    Raises UsageError, also where nothing was named or found, and NotFoundError.
    """
    return _for_records(where, choice, environ, err=err, first=_server_first)


def for_resources(choice: ServerChoice, environ: Mapping[str, str], *, err: TextIO) -> Asked:
    """What has resources: a scheduler, else a Lookout. Raises UsageError and NotFoundError."""
    addresses = choice.addresses(environ)
    if addresses.is_any:
        return _server_first(addresses)
    # That it is not there is for the one to say who asks it.
    return _found(_apis(), err) or Asked(server=DEFAULT)


def _for_records(
    where: StoreAddress,
    choice: ServerChoice,
    environ: Mapping[str, str],
    *,
    err: TextIO,
    first: Callable[[Addresses], Asked],
) -> Asked:
    if where.is_given:
        if (other := choice.option) is not None:
            raise UsageError(f"{other} and {where.option} name two places to ask; give one of them")
        return Asked(store=where)
    addresses = choice.addresses(environ)
    if addresses.is_any:
        return first(addresses)
    found = _found(chain(_store(environ), _apis()), err)
    if found is None:
        raise UsageError(_nothing())
    return found


def _lookout_first(addresses: Addresses) -> Asked:
    return Asked(lookout=addresses.lookout) if addresses.lookout is not None else Asked(server=addresses.server)


def _server_first(addresses: Addresses) -> Asked:
    return Asked(server=addresses.server) if addresses.server is not None else Asked(lookout=addresses.lookout)


def _found(places: Iterable[_Place], err: TextIO) -> Asked | None:
    """The first of the places where something is. Only people at a terminal wait for what is at the others."""
    there = (place for place in places if place.is_there())
    first = next(there, None)
    if first is None:
        return None
    if err.isatty():
        _say(first, list(there), err)
    return first.asked


def _say(first: _Place, others: Sequence[_Place], err: TextIO) -> None:
    """Which one is asked, if that may surprise: a Lookout, or one of several."""
    if not others and first.asked.lookout is None:
        return
    asks = "".join(f"; {other.option} asks {other.what}" for other in others)
    without = f"Nothing answers at {DEFAULT}: this" if first.asked.lookout is not None else "This"
    said = visible(f"{without} is from {first.name}{asks}.")
    err.writelines(f"{line}\n" for line in paragraph("", said, indent=0, columns=width(err)))


def _store(environ: Mapping[str, str]) -> Iterator[_Place]:
    """The store that a variable names, else that of a demo in this folder."""
    from agent.ctl.addresses import DEMO_STORE  # noqa: PLC0415 - imports pydantic, which no named address needs

    asked = Asked(store=StoreAddress())
    if environ.get(STORE_VARIABLE):
        yield _Place(asked=asked, what="the store", name=f"the store of {STORE_VARIABLE}", is_there=lambda: True)
    else:
        name, is_there = f"the demo's store {DEMO_STORE}", DEMO_STORE.is_file
        yield _Place(asked=asked, what="the store", name=name, is_there=is_there)


def _apis() -> Iterator[_Place]:
    """What listens where settings put it unless they say otherwise."""
    server, lookout = DEFAULT, DEFAULT_LOOKOUT
    yield _Place(
        asked=Asked(server=server),
        what="the scheduler",
        name=f"the scheduler at {server}",
        option=f"--server {server}",
        is_there=lambda: _accepts(server),
    )
    yield _Place(
        asked=Asked(lookout=lookout),
        what="the Lookout",
        name=f"the Lookout at {lookout}",
        option=f"--lookout {lookout}",
        is_there=lambda: _is_lookout(lookout),
    )


def _accepts(address: str) -> bool:
    """Whether something accepts connections at ``host:port``."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=_SOON):
            return True
    except OSError:
        return False


def _is_lookout(url: str) -> bool:
    from agent.ctl.lookout_api import answers  # noqa: PLC0415 - imports HTTP, which no other place needs

    return answers(url)


def _nothing() -> str:
    from agent.ctl.addresses import DEMO_STORE  # noqa: PLC0415 - as above

    return (
        f"what should be asked? Nothing answers at {DEFAULT} (a scheduler) or {DEFAULT_LOOKOUT} (a Lookout), "
        f"there is no context, and no demo has left {DEMO_STORE.absolute()}. Give --server HOST:PORT, --lookout URL, "
        f"--context NAME, --store URL or --settings FILE of the scheduler, or set {VARIABLE}, {LOOKOUT_VARIABLE} or "
        f"{STORE_VARIABLE}"
    )
