"""The console: shared by the command lines of ``failctl`` and ``failure-agent``.

``program`` makes a program of commands: each has examples in its help, ``--color``, and errors that look the same;
where ``-o json`` is asked for an error is a JSON object. ``options`` has the options that mean the same everywhere.
``exits`` has the exit codes, the errors that lead to them, and ``end``, which runs a command. ``complaints`` writes
errors to standard error.

``inputs`` opens what ``-f`` names: files, folders and standard input. ``listing`` writes rows in every form that ``-o``
knows. ``consent`` asks before something is changed. ``terminal`` makes hostile text harmless (``visible``), knows the
width and the colours, and shows progress; ``columns`` prints whatever stands in columns, line by line, and
``paragraphs`` breaks text into lines of the terminal's width.

Nothing here depends on what the commands do. Start reading with ``program``.
"""
