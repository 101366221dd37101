"""Completion of kinds and names in a shell. A server that does not answer completes nothing."""

import os
from typing import Any

from agent.ctl.resources.kinds import beginning, read_kind


def complete_kind(incomplete: str) -> list[str]:
    """The kinds that begin like this."""
    return list(beginning(incomplete))


def complete_name(ctx: Any, incomplete: str) -> list[str]:  # noqa: ANN401 - typer does not export its type
    """The names of the kind that was typed."""
    typed = ctx.params.get("kind")
    return _names(ctx, typed, incomplete) if typed else []


def complete_queue(ctx: Any, incomplete: str) -> list[str]:  # noqa: ANN401 - typer does not export its type
    """The names of queues."""
    return _names(ctx, "queue", incomplete)


def _names(ctx: Any, kind: str, incomplete: str) -> list[str]:  # noqa: ANN401 - typer does not export its type
    from agent.console.exits import CommandError
    from agent.ctl.api import api
    from agent.ctl.server import ServerChoice

    try:
        where = ServerChoice(**{name: ctx.params.get(name) for name in ("server", "settings", "context")})
        with api(where, os.environ) as client:
            found = client.list(read_kind(kind).number)
    except CommandError:
        return []
    return [resource.name for resource in found if resource.name.startswith(incomplete)]
