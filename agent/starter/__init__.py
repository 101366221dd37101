"""Starter files: settings, rules and a policy to begin with, written by ``failure-agent init``.

``files`` has the files, which are shipped under ``config/starter``, and writes them; ``steps`` says what to run next,
in commands that work where the user is. ``command`` is the command line. Begin with ``files``.
"""
