"""``failctl``: the command line for people who ask why a job failed and what happens next.

``main`` puts the commands together. Each group of commands has a folder: ``commands`` declares arguments and help with
typer, and the other modules do the work. A command imports its work inside its function, so that ``failctl --help``
loads none of kubernetes, sqlalchemy and grpc and starts quickly. ``lint`` and ``schema`` are commands without a group.

One call flows like this: typer parses the arguments; the command builds a request (a frozen dataclass such as
``ExplainRequest``) and passes it to the work function with the streams, the environment and the clock it needs;
that function prints and returns an ``Exit``. ``console.exits.end`` turns the result into the exit code:
0 fine, 1 something was found, 2 wrong usage, 3 a server or store cannot be reached. A work function raises
``UsageError`` or ``UnreachableError`` with text for people, which becomes one line on standard error.

Three kinds of commands exist. Some work on files alone (``lint``, ``schema``, ``classify``, ``evaluate``, ``decide``,
``policy``, ``job``, ``jobset``, ``error-rule``). ``explain`` reads the scheduler's store. ``dlq``, ``broker`` and
``finalizers`` talk to a broker or an API server and may change something there; what cannot be undone needs ``--yes``.

Text from pods and messages is hostile. Everything from outside passes ``console.terminal.visible`` before it is
printed, or is written as escaped JSON or YAML.

To change an option, open ``commands`` of its group. To begin reading, take ``explain``.
"""
