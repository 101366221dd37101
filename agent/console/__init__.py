"""The console: shared by the command lines of ``failctl`` and ``failure-agent``.

``program`` makes a program of commands: each has examples in its help, ``--color``, and errors that look the same;
where ``-o json`` is asked for an error is a JSON object. ``options`` has the options that mean the same everywhere, and
asks before something is changed. ``exits`` has the exit codes, the errors that lead to them, and ``end``, which runs a
command. ``errors`` writes them to standard error. ``program_paths`` says how the user can call our programs, for
commands that we print.

``inputs`` opens what ``-f`` names: files, folders and standard input. ``listing`` writes rows in every form that ``-o``
knows. ``terminal`` makes hostile text harmless (``visible``) and knows the width and the colours; ``guard`` does the
same to whatever reaches the streams without it. ``columns`` prints tables line by line, ``paragraphs`` breaks text into
lines of the terminal's width, and ``progress`` counts on the terminal what has been read.

Nothing here depends on what the commands do. Start reading with ``program``.
"""
