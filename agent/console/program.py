"""A program of commands: help with examples, ``--color``, errors that look alike, completion."""

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from agent import __version__
from agent.console.errors import report_error, styled
from agent.console.exits import Exit, closed
from agent.console.guard import guard
from agent.console.program_paths import ProgramPaths
from agent.console.terminal import choose_colour, visible

_SEVERAL: Final = ("COLUMNS", "NAMES")
"""What options are about that take several values, with commas between them."""
_PYTHON_TYPE: Final = re.compile(r" <(?:list\[)?(?:str|Path|int|float)\]?>$")


class Command(TyperCommand):
    """A command with ``--color`` and with examples, one on each line of its epilog.

    ``value_left_out``: options that may be given without a value, and the value that this means. typer has none.
    """

    value_left_out: ClassVar[Mapping[str, str]] = {}

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.params.append(_colour_option())

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - typer does not export its type
        """Give the arguments as their metavars spell them; typer would put its own brackets around those."""
        del ctx
        arguments = [param for param in self.params if param.param_type_name == "argument"]
        return [str(self.options_metavar), *(param.metavar or str(param.name).upper() for param in arguments)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - typer does not export its type
        """Parse the arguments; an option given without its value gets the implied one.

        Raises BadParameter if an option with one value is given twice, because one of them would be ignored silently.
        """
        end = args.index("--") if "--" in args else len(args)
        left_out = self.value_left_out
        meant = [f"{word}={left_out[word]}" if word in left_out else word for word in args[:end]]
        _, _, order = self.make_parser(ctx).parse_args([*meant, *args[end:]])
        for param, times in Counter(order).items():
            if times > 1 and _takes_one_value(param):
                raise typer.BadParameter(_given_again(param, times), ctx=ctx)
        return super().parse_args(ctx, [*meant, *args[end:]])

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer does not export their types
        """Write arguments and options, without the Python types that typer adds to arguments."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            if (record := param.get_help_record(ctx)) is not None:
                section = "Arguments" if param.param_type_name == "argument" else "Options"
                sections[section].append((_PYTHON_TYPE.sub("", record[0]), record[1]))
        for section, rows in sections.items():
            if rows:
                with formatter.section(section):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer does not export their types
        """Write the examples, each on its line however narrow the terminal."""
        del ctx
        if self.epilog:
            formatter.write("\nExamples:\n")
            formatter.write("".join(f"  {line.strip()}\n" for line in self.epilog.strip().splitlines()))


def _takes_one_value(param: Any) -> bool:  # noqa: ANN401 - typer does not export its type
    """Whether a second value would take the place of the first. A flag that is given twice says the same twice."""
    return param.param_type_name == "option" and not (param.is_flag or param.count or param.multiple)


def _given_again(param: Any, times: int) -> str:  # noqa: ANN401 - as above
    """That an option is given too often, and how to give it all of its values where it takes several."""
    noun = "file" if param.metavar == "FILE" else "value"
    said = f"{param.opts[-1]} takes one {noun} but is given {times} times"
    several = param.metavar in _SEVERAL
    return f"{said}; write the {param.metavar.lower()} once, with commas between them: a,b" if several else said


class LazyGroup(TyperGroup):
    """A group whose commands are imported when they run. ``modules``: the module of each, and its line in the help."""

    modules: ClassVar[Mapping[str, tuple[str, str]]]

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        # If typer does not know a command, it suggests the most similar of these names.
        self.commands: Any = dict.fromkeys(self.modules)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401 - typer does not export its type
        del ctx
        return list(self.modules)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - typer does not export their types
        del ctx
        if cmd_name not in self.modules:
            return None
        found: typer.Typer = import_module(self.modules[cmd_name][0]).app
        return get_command(found)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer does not export their types
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self.modules.items()])


def make_root(name: str, summary: str, *, codes: str, cls: type[TyperGroup] = TyperGroup) -> typer.Typer:
    """Make a program: commands with ``--version``, completion, and the exit codes in its help."""
    app = _make(name, cls=cls, help=summary, epilog=f"Exit codes: {codes}.", no_args_is_help=True, add_completion=True)
    app.callback()(_versioned(name))
    return app


def make_app(name: str, summary: str, *, cls: type[TyperGroup] = TyperGroup) -> typer.Typer:
    """Make a group of commands."""
    app = _make(name, cls=cls, help=summary, no_args_is_help=True)
    app.callback()(_plain(summary))
    return app


def make_command_app(name: str) -> typer.Typer:
    """Make the app of a single command, which ``LazyGroup`` finds in its module."""
    return _make(name)


def _make(name: str, *, add_completion: bool = False, **more: Any) -> typer.Typer:
    return typer.Typer(
        name=name,
        rich_markup_mode=None,
        add_completion=add_completion,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        **more,
    )


def add(
    app: typer.Typer, *examples: str, name: str | None = None, cls: type[Command] = Command
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a command to an app, with at least two examples of its use."""
    return app.command(name, cls=cls, epilog="\n".join(examples))


def run_program(app: typer.Typer, *, name: str) -> NoReturn:
    """Run a program by the arguments it was started with, and exit."""
    if sys.stdout is None:  # as Python starts where descriptor 1 is closed
        os._exit(Exit.CLOSED)
    _make_output_safe()
    with styled(name, sys.argv[1:]):
        code = _code_of(app, name)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = closed()
    except OSError as error:
        code = _unwritten(error)
    sys.exit(code)


def _unwritten(error: OSError) -> Exit:
    """Report an error that no command expects, such as output that cannot be written to a full disk."""
    said = error.strerror or str(error)
    message = f"{said}: {visible(str(error.filename))}" if error.filename else f"cannot write the output: {said}"
    report_error(sys.stderr, message, code=Exit.USAGE)
    closed()
    return Exit.USAGE


def _code_of(app: typer.Typer, name: str) -> int:
    try:
        return int(get_command(app).main(prog_name=name, standalone_mode=False) or 0)
    except typer.TyperException as error:
        _explain_usage(error)
        return error.exit_code
    except typer.Abort:
        return Exit.USAGE
    except OSError as error:
        return _unwritten(error)


def _explain_usage(error: typer.TyperException) -> None:
    context, message = getattr(error, "ctx", None), error.format_message()
    if message.startswith("Usage: "):
        # A group was called without a command: typer's error is the whole help of the group.
        sys.stderr.write(f"{message}\n")
        return
    hint = "" if context is None else f"Try: {_called(context.command_path)} --help"
    report_error(sys.stderr, message.replace("Value error, ", ""), hint=hint, code=error.exit_code)


def _called(command_path: str) -> str:
    """The command as the user can type it in the current folder."""
    program, _, rest = command_path.partition(" ")
    return f"{ProgramPaths.current().spell(program)} {rest}".rstrip(" ")


def _make_output_safe() -> None:
    if sys.stderr is None:  # as Python starts where descriptor 2 is closed
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open as long as the process
    for stream in (sys.stdout, sys.stderr):
        # The encoding of the locale may not have every character of a file's name or a pod's text.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = guard(sys.stdout), guard(sys.stderr)


def _versioned(name: str) -> Callable[..., None]:
    def show_version(asked: bool) -> None:  # noqa: FBT001 - typer calls it so
        if asked:
            typer.echo(f"{name} {__version__}")
            raise typer.Exit

    def root(
        *,
        version: Annotated[
            bool,
            typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=show_version),
        ] = False,
    ) -> None:
        del version

    return root


def _plain(summary: str) -> Callable[..., None]:
    def root() -> None: ...

    root.__doc__ = summary
    return root


def _colour_option() -> Any:  # noqa: ANN401 - typer does not export the type
    """``--color`` as a parameter object, which typer makes only from the signature of a function."""
    app = typer.Typer(add_completion=False)

    @app.command()
    def only(
        color: Annotated[
            Literal["auto", "always", "never"],
            typer.Option(
                "--color",
                help="Colour the output; auto: on a terminal, unless NO_COLOR is set.",
                callback=choose_colour,
            ),
        ] = "auto",
    ) -> None:
        del color

    option = get_command(app).params[0]
    option.expose_value = False
    return option
