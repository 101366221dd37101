"""``failctl create``, ``apply``, ``update``, ``get``, ``describe``, ``delete``, ``history``, ``rollback`` and ``diff``.

``commands`` is the command line; ``kinds`` reads the names of kinds, short names included. ``agent.ctl.asked`` finds
the API, or the Lookout that asks it for what only reads. ``change`` sends documents, which are read and checked here
first, so that every problem has its file, line and column. ``show`` prints resources: as a table, or as the text that
was written, which ``create -f`` takes again. ``past`` is about earlier versions.
"""
