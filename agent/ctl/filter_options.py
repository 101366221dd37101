"""The filters of a list as options of its command, which describe themselves in ``agent.store.records.filters``."""

from collections.abc import Callable, Collection, Iterable
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.main import get_command

if TYPE_CHECKING:  # whoever adds options has imported it
    from agent.store.records.filters import Filter


def options_of(filters: "Iterable[Filter]") -> list[Any]:
    """An option for each filter, as parameters of a command that is made already."""

    def filtered(**given: object) -> None:
        del given

    app = typer.Typer(add_completion=False)
    filtered.__signature__ = Signature(list(map(_option, filters)))  # type: ignore[attr-defined]  # for typer
    app.command()(filtered)
    return get_command(app).params


def signature_with(
    filters: "Iterable[Filter]", command: Callable[..., None], *, without: Collection[str] = ()
) -> Signature:
    """The signature of a command for typer: an option for each filter in place of ``**filters``.

    It is ``without`` some options of the command. Filters come before its other options.
    """
    own = [
        parameter
        for parameter in signature(command).parameters.values()
        if parameter.name not in without and parameter.kind is not Parameter.VAR_KEYWORD
    ]
    first = [parameter for parameter in own if parameter.kind is not Parameter.KEYWORD_ONLY]
    return Signature([*first, *map(_option, filters), *own[len(first) :]])


def _option(field: "Filter") -> Parameter:
    option = typer.Option(*field.options, help=field.asked.help, metavar=field.asked.value or None)
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[field.typed | None, option])
