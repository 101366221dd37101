"""``failure-agent``: one program with a command for each process. A command's modules are loaded only when it runs."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from agent import __version__
from agent.process.exits import Exit

Main = Callable[[Sequence[str]], int]
"""A command's own ``main``: takes what follows the command's name, returns the exit code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command; ``module`` has its ``main``."""

    module: str
    summary: str


COMMANDS: Mapping[str, Command] = {
    "cluster": Command(module="agent.cluster.command", summary="Watch a cluster and report why its pods fail."),
    "scheduler": Command(module="agent.scheduler.command", summary="Decide what happens after each failure."),
    "simulator": Command(module="agent.simulator.__main__", summary="Serve a simulated cluster over HTTP."),
    "demo": Command(module="agent.demo", summary="Run all of it on this machine, with simulated clusters."),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command named first. Returns the exit code; ``main()`` of a script passes it to ``sys.exit``."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    name, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if name in {"-h", "--help"}:
        sys.stdout.write(_help())
        return 0
    if name == "--version":
        sys.stdout.write(f"failure-agent {__version__}\n")
        return 0
    if (command := COMMANDS.get(name)) is None:
        complaint = f"no such command: {name}" if name else "a command is needed"
        sys.stderr.write(f"failure-agent: {complaint}\n\n{_help()}")
        return Exit.USAGE
    return _main_of(command)(rest)


def _main_of(command: Command) -> Main:
    found: Main = import_module(command.module).main
    return found


def _help() -> str:
    width = max(map(len, COMMANDS))
    rows = "".join(f"  {name:<{width}}  {command.summary}\n" for name, command in COMMANDS.items())
    return (
        "Usage: failure-agent COMMAND [OPTION]...\n\n"
        "Says why a pod failed, decides what happens next, and shows its reasoning.\n\n"
        f"Commands:\n{rows}\n"
        "Options:\n"
        "  -h, --help  Show this, or a command's options after its name.\n"
        "  --version   Print the version.\n\n"
        "Exit codes: 0 fine, 1 something failed, 2 wrong usage or settings, 3 unreachable.\n"
    )


if __name__ == "__main__":
    sys.exit(main())
