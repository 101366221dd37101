"""``failctl lookout``: how a Lookout stands, and what it stored, stored and counted again.

Each command takes the settings of the process (``connect``), or an address each of its broker and its database. What is
asked and done is in ``agent.lookout.upkeep``; the modules here print it, one for each command: ``status`` and
``rollups`` (``rebuild-rollups``) at any time, ``replay`` on SQLite only while the process does not run.

Start with ``status``.
"""
