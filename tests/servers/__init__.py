"""Real servers for tests: made once from their sources into a cache outside the tree, started on loopback.

``make servers`` prepares them. Tests use what is prepared and prepare nothing: see ``availability``.
"""
