"""``failctl lookout``: how a Lookout stands.

Each command takes the settings of the process (``connect``), or an address each of its broker and its database. What is
asked and done is in ``agent.lookout.upkeep``; the modules here print it, one for each command.

Start with ``status``.
"""
