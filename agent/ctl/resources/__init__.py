"""``failctl create``, ``apply``, ``update``, ``get``, ``describe``, ``delete``, ``history``, ``rollback`` and ``diff``.

``commands`` is the command line; ``kinds`` reads the names of kinds, short names included.
``server`` finds the API: ``--server``, a context, or the port of a scheduler on this machine. ``change`` sends
documents, which are read and checked here first, so that every problem has its file, line and column. ``show`` prints
resources: as a table, or as the text that was written, which ``create -f`` takes again. ``past`` is about earlier
versions.
"""
