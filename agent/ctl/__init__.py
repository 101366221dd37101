"""``failctl``: the command line that shows why a job failed and what happens next.

``main`` puts the commands together. Each group of commands has a folder: ``commands`` declares arguments, help and
examples with typer, and the other modules do the work. A command imports its work inside its function, so that
``failctl --help`` loads none of kubernetes, sqlalchemy and grpc and starts quickly; a command then loads what it
needs. ``lint`` and ``schema`` are commands without a group. What all command lines share is in ``agent.console``:
options that mean the same everywhere, exit codes, errors, colours, the files that ``-f`` names.

The steps of one call: typer parses the arguments; the command builds a request (a frozen dataclass such as
``ExplainRequest``) and passes it to the work function with the streams, the environment and the clock it needs;
that function prints and returns an ``Exit``, or raises one of the errors of ``console.exits`` with text for people;
``console.exits.end`` turns either into the exit code.

Three kinds of commands exist. Some work on files alone (``lint``, ``schema``, ``classify``, ``evaluate``, ``decide``,
``policy``, ``job``, ``jobset``, ``error-rule``); ``files`` loads documents for them, ``tables`` says how error tables
are read, ``rule_file`` which rules apply, and ``scripts`` lints what the simulator plays. What ``classify`` and
``evaluate`` find is decided in ``agent.diagnose`` and ``agent.evaluate``. ``asked`` finds out whom a command asks,
where nothing was named on this machine. ``counts`` is what ``--count-by`` prints. ``explain`` and ``get`` read what
``reading`` gives: the scheduler's store (``store_reading``), its API (``api_reading``) or a Lookout
(``lookout_reading`` its lists, ``lookout_jobs`` and ``lookout_history`` its jobs, over HTTP by ``lookout_api``;
``forwarded`` what the scheduler answers through it).
``submit`` and ``requests`` (``cancel``, ``retry``, ``never-retry``, ``confirm-stopped``) ask the scheduler's API for
something about jobs. ``dlq``, ``broker`` and
``finalizers`` talk to a broker or an API server, and may change something there: each such command has ``--dry-run``,
and asks unless it is given ``--yes``. ``classify pod`` only reads from an API server; ``cluster_connection`` connects
both to it.

Text from pods and messages is hostile. Everything from outside passes ``console.terminal.visible`` before it is
printed, or is written as escaped JSON or YAML.

To change an option, open ``commands`` of its group. Start reading with ``explain``.
"""
