"""``failctl submit``: jobs of files, checked here first, then sent to the scheduler.

``commands`` has the options. ``submit`` reads the files, sends each, and says what happened to every job. ``wait``
looks at jobs until all have ended, and has the words for their states. The exit code is 1 unless every job was
accepted and, with ``--wait``, succeeded.
"""
